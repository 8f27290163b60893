// The recorder thread's half of InjectionSession that sends what there is to send.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "inject/clock.h"
#include "inject/fence.h"
#include "inject/session.h"

namespace rafter {
namespace {

// How long regions wait in the ring when nothing else wakes the recorder.
constexpr uint64_t kDrainEveryNs = 50'000'000;

// Likewise while a context waits for its turn: whoever looks less often than others
// loses its place in the line (GpuLock::kLetOthersNs).
constexpr uint64_t kInLineNs = 10'000'000;

// Costs are sent this often, and at the end.
constexpr uint64_t kCostEveryNs = 1'000'000'000;

// Regions in one batch frame: about 40 bytes each.
constexpr size_t kBatchRegions = 4096;

// Batches in one go: twice the ring. A thread that never stops would keep others,
// which wait for a change of passes, waiting.
constexpr size_t kBatchesAtOnce = 2 * RegionRing::kCapacity / kBatchRegions;

// Names in one frame, which may be 64 MiB long; a name may be 1 MiB.
constexpr uint32_t kNamesAtOnce = 32;

}  // namespace

void* InjectionSession::RecorderMain(void* self) {
  pthread_setname_np(pthread_self(), "rafter-record");
  auto* session = static_cast<InjectionSession*>(self);
  Guarded([session] { session->RunRecorder(); });
  session->RecorderEnded();
  return nullptr;
}

// Whatever ended it, nobody may wait for it again.
void InjectionSession::RecorderEnded() noexcept {
  recorder_gone_ = true;  // first, for contexts that come after the loops
  Guarded([this] {        // an exception may have left a range open, in which launches block
    const std::lock_guard<std::mutex> own(counting_mutex_);
    ForEachContext([this](CountedContext& counted) {
      if (counted.borders.Retire(false)) Health().Lost(Loss::kEpochsLost);
      counted.epoch_running = false;
      LetGo(counted, counted.range_session.open() && ContextLives(counted));
    });
    if (inert_) return;  // at exit CUPTI may be gone
    watch_.Watch(false);
    watch_.Unsubscribe();
  });
  ForEachContext([](CountedContext& counted) { counted.borders.Off(); });
  pthread_mutex_lock(&wake_mutex_);
  goodbye_done_ = true;
  pthread_cond_broadcast(&wake_changed_);
  pthread_mutex_unlock(&wake_mutex_);
}

void InjectionSession::RunRecorder() {
  struct stat standard_error;
  if (fstat(STDERR_FILENO, &standard_error) == 0) {
    stderr_device_ = standard_error.st_dev;
    stderr_inode_ = standard_error.st_ino;
  }
  identity_ = ReadIdentity();
  outlet_.Open(options_.collector, identity_);
  outlet_.Send(FrameType::kHello, EncodeHello(identity_, options_, entry_), true);
  if (!outlet_.trouble().empty()) {
    Health().AddNote(NoteSeverity::kWarning, "record", outlet_.trouble());
  }
  for (const std::string& sentence : options_.wrong) {
    Health().AddNote(NoteSeverity::kWarning, "record", sentence);
  }
  for (const std::string& name : options_.unknown) {
    Health().AddNote(NoteSeverity::kWarning, "record",
                     name + ": no such variable; it has no effect, correct or unset it");
  }
  bool goodbye = false;
  while (!goodbye) {
    WaitForWork();
    pthread_mutex_lock(&wake_mutex_);
    goodbye = goodbye_asked_;
    pthread_mutex_unlock(&wake_mutex_);
    DoWork();
    CheckBlockedLaunch();
    if (!goodbye) Drain();
  }
  SayGoodbye();
}

void InjectionSession::WaitForWork() {
  const timespec until = TimespecOf(NowNs() + (in_line_ ? kInLineNs : kDrainEveryNs));
  pthread_mutex_lock(&wake_mutex_);
  while (!wake_) {
    if (pthread_cond_timedwait(&wake_changed_, &wake_mutex_, &until) != 0) break;
  }
  wake_ = false;
  pthread_mutex_unlock(&wake_mutex_);
}

void InjectionSession::SendNames() {
  const uint32_t known = paths_.count();
  while (known > names_sent_) {
    const uint32_t last = std::min(known, names_sent_ + kNamesAtOnce);
    outlet_.Send(FrameType::kNames, EncodeNames(paths_, names_sent_ + 1, last), true);
    names_sent_ = last;
  }
}

void InjectionSession::SendCategories() {
  std::vector<CategoryName> categories;
  {
    const std::lock_guard<std::mutex> lock(categories_mutex_);
    categories.swap(categories_);
  }
  if (categories.empty()) return;
  outlet_.Send(FrameType::kNames, EncodeCategories(paths_, categories), true);
}

// Sends everything that has gathered: names before what refers to them.
void InjectionSession::Drain() {
  std::array<FinishedRegion, 64> chunk;
  std::vector<FinishedRegion> regions;
  for (size_t batch = 0; batch < kBatchesAtOnce; ++batch) {
    regions.clear();
    size_t got = 0;
    do {
      got = 0;
      while (got < chunk.size() && ring_.TryPop(chunk[got])) ++got;
      regions.insert(regions.end(), chunk.begin(),
                     chunk.begin() + static_cast<std::ptrdiff_t>(got));
    } while (got == chunk.size() && regions.size() < kBatchRegions);
    std::vector<std::pair<PathId, uint64_t>> dropped;
    SendNames();
    dropped_sent_.resize(names_sent_ + 1, 0);
    for (uint32_t path = 1; path <= names_sent_; ++path) {
      const PathEntry* entry = paths_.Entry(static_cast<PathId>(path));
      const uint64_t now = entry->dropped_instances.load(std::memory_order_relaxed);
      if (now != dropped_sent_[path]) dropped.emplace_back(static_cast<PathId>(path), now);
      dropped_sent_[path] = now;
    }
    if (regions.empty() && dropped.empty()) break;
    regions_recorded_ += regions.size();
    outlet_.Send(FrameType::kBatch,
                 EncodeBatch(regions, Health().lost(Loss::kInstancesDropped), dropped));
  }
  SendCategories();
  std::vector<std::string> images;
  {
    const std::lock_guard<std::mutex> lock(pending_mutex_);
    images.swap(pending_images_);
  }
  if (!images.empty()) SendNames();
  for (const std::string& image : images) outlet_.Send(FrameType::kImage, image);
  const std::vector<KernelCount> kernels = kernels_.Changed();
  if (!kernels.empty()) {
    SendNames();
    outlet_.Send(FrameType::kKernels, EncodeKernels(kernels));
  }
  SendDecisions();
  SendHealth();
}

void InjectionSession::SendHealth() {
  if (!outlet_.trouble().empty()) {
    Health().AddNote(NoteSeverity::kWarning, "record", outlet_.trouble());
  }
  const std::vector<HealthNote> notes = Health().NotesFrom(notes_sent_);
  uint64_t losses = 0;
  for (size_t i = 0; i < static_cast<size_t>(Loss::kCount); ++i) {
    losses += Health().lost(static_cast<Loss>(i));
  }
  const WireCost cost = CostSoFar();
  const bool cost_is_old = cost.set_up_ns > 0 && cost.wall_ns - cost_sent_ns_ > kCostEveryNs;
  if (notes.empty() && losses == losses_sent_ && !cost_is_old) return;
  notes_sent_ += notes.size();
  losses_sent_ = losses;
  cost_sent_ns_ = cost.wall_ns;
  outlet_.Send(FrameType::kHealth, EncodeHealth(notes, Health(), cost));
  if (outlet_.to_collector()) return;  // the collector prints them
  for (const HealthNote& note : notes) {
    if (note.severity != NoteSeverity::kInformation) Say(note.text);
  }
}

WireCost InjectionSession::CostSoFar() {
  WireCost cost;
  cost.wall_ns = NowNs() - started_ns_;
  ForEachContext([&](CountedContext& counted) {
    const RangeBorders::Costs costs = counted.borders.costs();
    cost.set_up_ns += costs.set_up_ns;
    cost.rotation_ns += costs.rotation_ns;
    cost.border_ns += costs.border_ns;
    cost.slowed_ns += costs.slowed_ns;
  });
  return cost;
}

void InjectionSession::Decided(PathId path, const std::string& decision) {
  const std::lock_guard<std::mutex> lock(decisions_mutex_);
  if (decisions_made_++ >= kMaxDecisions) return;
  std::string name;
  for (const PathEntry* entry = paths_.Entry(path); entry != nullptr;
       entry = paths_.Entry(entry->parent)) {
    std::string_view own(entry->name, entry->name_size);
    LaunchKind kind;
    PathTable::ReadLaunch(*entry, own, kind);
    name = std::string(own) + (name.empty() ? "" : "/") + name;
  }
  decisions_.push_back({NoteSeverity::kInformation, "scheduler", name + ": " + decision, NowNs()});
}

// What the scheduler decided, where the user wants to know.
void InjectionSession::SendDecisions() {
  std::vector<HealthNote> decisions;
  {
    const std::lock_guard<std::mutex> lock(decisions_mutex_);
    decisions.swap(decisions_);
  }
  if (!decisions.empty()) {
    outlet_.Send(FrameType::kHealth, EncodeHealth(decisions, Health(), CostSoFar()));
  }
}

// One line on the program's standard error, in one write, and only where no
// collector can tell the user.
void InjectionSession::Say(std::string_view line) {
  struct stat now;
  if (options_.quiet || fstat(STDERR_FILENO, &now) != 0 || now.st_dev != stderr_device_ ||
      now.st_ino != stderr_inode_) {
    return;  // the program has put something else there
  }
  std::string text = "rafter: ";
  text += line;
  text += '\n';
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody listens
}

// --- the end --------------------------------------------------------------------

void InjectionSession::SayGoodbye() {
  {
    const std::lock_guard<std::mutex> own(counting_mutex_);
    ForEachContext([this](CountedContext& counted) {
      if (counted.range_session.open()) EndCountingOwned(counted, false);
      RecordEarly(counted);
    });
  }
  if (paths_.count() == 0 && cuda_initialised_) {
    Health().AddNote(
        NoteSeverity::kWarning, "regions",
        "the program used CUDA and marked no region; mark its work with NVTX, and if "
        "it does so before it starts CUDA, set both variables: eval \"$(rafter env)\"");
  }
  if (decisions_made_ > kMaxDecisions) {
    Health().AddNote(NoteSeverity::kInformation, "scheduler",
                     std::to_string(decisions_made_ - kMaxDecisions) +
                         " more decisions of the scheduler are not listed");
  }
  if (epochs_ > 0 && !outlet_.to_collector()) {  // which says it in its own words
    const WireCost cost = CostSoFar();
    Health().AddNote(NoteSeverity::kInformation, "counters",
                     "counting held the program up for " +
                         std::to_string((cost.set_up_ns + cost.rotation_ns) / 1000000) + " ms in " +
                         std::to_string(epochs_) + (epochs_ == 1 ? " epoch" : " epochs") +
                         ", set-up included");
  }
  Drain();
  outlet_.Send(FrameType::kGoodbye, EncodeGoodbye("exit", NowNs()));
  if (outlet_.spooling() && regions_recorded_ > 0) {
    Say("regions are in " + outlet_.spool_path() + "; next: rafter ingest " + outlet_.spool_path() +
        " -o run.rafter");
  }
}

}  // namespace rafter
