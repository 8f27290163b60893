#include "inject/session.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>

#include "cupti/library.h"
#include "inject/clock.h"
#include "inject/fence.h"
#include "inject/immortal.h"

namespace rafter {
namespace {

// While CUDA is not there, how often a region may look for it.
constexpr uint64_t kDriverLookNs = 10'000'000;

// While there are more contexts than are counted, how often one may be looked for that
// has gone.
constexpr uint64_t kContextLookNs = 100'000'000;

}  // namespace

InjectionSession& Session() {
  static Immortal<InjectionSession> session;
  return *session;
}

InjectionSession::InjectionSession() { InitialiseWaking(); }

void InjectionSession::InitialiseWaking() { InitialiseWaiting(wake_mutex_, wake_changed_); }

void InjectionSession::Start(const char* entry, bool cuda_initialised) {
  if (inert_) return;
  if (cuda_initialised) {
    cuda_initialised_ = true;
    // Now, so that no thread finds another one looking when it marks its first region.
    const std::unique_lock<std::mutex> looking(driver_mutex_, std::try_to_lock);
    if (looking.owns_lock()) driver_.Find();
  }
  const std::lock_guard<std::mutex> lock(start_mutex_);
  if (started_) return;
  started_ = true;
  options_ = ReadOptions();
  if (!options_.WantsRank()) {
    inert_ = true;
    return;
  }
  SetRules();
  started_ns_ = NowNs();
  entry_ = entry;
  static bool registered = false;  // survives fork: handlers do too
  if (!registered) {
    registered = true;
    threads_.Start([](ThreadRecord& record) { Guarded([&] { Session().CloseThread(record); }); });
    atexit([] { Guarded([] { Session().Goodbye(); }); });
    pthread_atfork(nullptr, nullptr, [] { Session().AfterFork(); });
  }
  // A thread of ours must not take signals meant for the program.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&recorder_, nullptr, &RecorderMain, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed != 0) {
    recorder_gone_ = true;
    return;  // nobody would take what we record
  }
  pthread_detach(recorder_);
  recording_ = true;
}

// --- regions ------------------------------------------------------------------

void* InjectionSession::CurrentContext() {
  if (!driver_.found()) {
    const uint64_t now = NowNs();
    if (now < next_driver_look_ns_.load(std::memory_order_relaxed)) return nullptr;
    next_driver_look_ns_.store(now + kDriverLookNs, std::memory_order_relaxed);
    // Another thread that looks may wait for the loader's lock, which this one
    // holds when a library that is being loaded marks a region.
    const std::unique_lock<std::mutex> lock(driver_mutex_, std::try_to_lock);
    if (!lock.owns_lock() || !driver_.Find()) return nullptr;
  }
  void* context = driver_.CurrentContext();
  if (context != nullptr && !cuda_initialised_.load(std::memory_order_relaxed)) {
    cuda_initialised_ = true;
  }
  return context;
}

// The entry of a context that a thread has as its current one, or null.
CountedContext* InjectionSession::Meet(void* context) {
  const uint64_t now = NowNs();
  if (now < contexts_full_until_ns_.load(std::memory_order_relaxed)) return nullptr;
  CountedContext* const met =
      contexts_.FindOrAdd(context, driver_.CurrentDevice(), paths_, *this,
                          [this](void* known) { return driver_.IsAlive(known); });
  if (met == nullptr) {
    contexts_full_until_ns_.store(now + kContextLookNs, std::memory_order_relaxed);
    Health().AddNote(NoteSeverity::kWarning, "counters",
                     "the program has more than " + std::to_string(ContextTable::kMaxContexts) +
                         " CUDA contexts at once; what runs on the others is not counted, "
                         "destroy those that are done");
  }
  if (contexts_.SeveralDevices()) LeaveSeveralDevices();
  if (met != nullptr && recorder_gone_) met->borders.Off();  // no region may wait for set-up
  return met;
}

// A thread ends, or the process does on this thread, with regions open.
void InjectionSession::CloseThread(ThreadRecord& record) {
  if (inert_) return;
  record.in_launch = false;
  while (record.depth > 0) {
    OpenRegion& open = record.open[--record.depth];
    if (open.standing <= OpenRegion::Standing::kCrossed) {
      EndRegion(&record, open, record.thread, true);
    }
  }
}

void InjectionSession::Wake() noexcept {
  pthread_mutex_lock(&wake_mutex_);
  wake_ = true;
  pthread_cond_broadcast(&wake_changed_);
  pthread_mutex_unlock(&wake_mutex_);
}

// --- what counts ----------------------------------------------------------------

void InjectionSession::SetRules() {
  for (auto& wish : wishes_) wish.store(Wish::kUnknown, std::memory_order_relaxed);
  for (std::string& sentence : rules_.Set(options_.regions, options_.groupings)) {
    options_.wrong.push_back(std::move(sentence));
  }
  paths_.Choose(rules_.chooses() ? &rules_ : nullptr);
}

bool InjectionSession::Wants(uint32_t domain) {
  if (!options_.nvtx) return false;
  const Wish known = wishes_[domain].load(std::memory_order_relaxed);
  if (known != Wish::kUnknown) return known == Wish::kWanted;
  const bool wanted = options_.WantsDomain(paths_.DomainName(domain));
  wishes_[domain].store(wanted ? Wish::kWanted : Wish::kUnwanted, std::memory_order_relaxed);
  return wanted;
}

void InjectionSession::NameCategory(uint32_t domain, uint32_t category, std::string_view name) {
  if (inert_ || category == 0 || domain >= PathTable::kMaxDomains) return;
  const std::lock_guard<std::mutex> lock(categories_mutex_);
  if (categories_named_ == kMaxCategories) return Health().Lost(Loss::kNamesFolded);
  ++categories_named_;
  categories_.push_back({domain, category, std::string(name)});
}

void InjectionSession::WatchEarly() {
  if (inert_ || early_generation_ != 0 || contexts_.count() > 0) return;
  const bool wanted = options_.no_regions || open_regions_.load(std::memory_order_relaxed) > 0;
  // Another thread does it.
  const std::unique_lock<std::mutex> lock(watch_mutex_, std::try_to_lock);
  if (!wanted || !lock.owns_lock() || watch_.subscribed()) return;
  Result<const CuptiTable*> cupti = LoadCupti({options_.cupti_path, options_.cuda_home, true});
  Status watched = cupti.status();
  if (cupti.ok()) {
    cupti_ = *cupti;
    watched = watch_.Subscribe(cupti_, this);
  }
  if (watched.ok()) {
    watch_.Watch(true);
    early_generation_ = watch_.generation();
  } else if (options_.no_regions) {
    Health().AddNote(NoteSeverity::kFailure, "counters",
                     "launches cannot be seen: " + watched.message());
  }
}

// --- the end --------------------------------------------------------------------

void InjectionSession::Goodbye() {
  if (inert_ || !recording_.load(std::memory_order_relaxed)) return;
  ThreadRecord* mine = threads_.Mine();
  if (mine != nullptr) CloseThread(*mine);
  const int64_t still_open = open_regions_.load(std::memory_order_relaxed);
  if (still_open > 0) Health().Lost(Loss::kOpenAtExit, static_cast<uint64_t>(still_open));
  inert_ = true;  // what other threads still do now would keep the last drain from ending
  const uint64_t end = NowNs() + kGoodbyeDeadlineNs;
  const timespec until = TimespecOf(end);
  pthread_mutex_lock(&wake_mutex_);
  goodbye_asked_ = true;
  wake_ = true;
  pthread_cond_broadcast(&wake_changed_);
  while (!goodbye_done_) {
    if (pthread_cond_timedwait(&wake_changed_, &wake_mutex_, &until) != 0) break;
  }
  pthread_mutex_unlock(&wake_mutex_);
  recording_ = false;
}

void InjectionSession::AfterFork() {
  if (inert_) return;
  if (cuda_initialised_) {
    inert_ = true;  // CUDA does not work in this child, and its parent's data is not ours
    forked_ = true;
    return;
  }
  // A process of its own from here on: nothing of the parent's may be sent.
  // Its threads may have held any lock, waited for any condition, or been in
  // the middle of changing any string: those are made anew, not cleared.
  new (&start_mutex_) std::mutex;
  new (&driver_mutex_) std::mutex;
  new (&counting_mutex_) std::mutex;
  new (&pending_mutex_) std::mutex;
  InitialiseWaking();
  wake_ = goodbye_asked_ = goodbye_done_ = false;
  started_ = false;
  recording_ = false;
  recorder_gone_ = false;
  outlet_.Forget();
  ring_.Clear();
  paths_.Forget();
  threads_.Forget();
  kernels_.Forget();
  contexts_.Forget();
  for (const auto& seat : seats_) seat->lock.Forget();
  patching_known_ = false;
  patching_left_out_ = false;
  Health().Forget();
  names_sent_ = 0;
  notes_sent_ = 0;
  losses_sent_ = 0;
  new (&dropped_sent_) std::vector<uint64_t>;
  new (&pending_images_) std::vector<std::string>;
  new (&watch_mutex_) std::mutex;
  early_generation_ = 0;
  new (&categories_mutex_) std::mutex;
  new (&categories_) std::vector<CategoryName>;
  new (&decisions_mutex_) std::mutex;
  new (&decisions_) std::vector<HealthNote>;
  new (&identity_) Identity;
  // Their paths are the parent's: whoever ends one here ends nothing.
  for (StartedRange& range : started_ranges_) {
    range.state.store(range.state.load(std::memory_order_relaxed) / 4 * 4,
                      std::memory_order_relaxed);
  }
  open_regions_ = 0;
  regions_recorded_ = 0;
}

}  // namespace rafter
