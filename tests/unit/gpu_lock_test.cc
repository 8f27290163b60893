// Locks are between processes, so every test forks the others.
#include "inject/counters/gpu_lock.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "inject/clock.h"
#include "inject/options.h"
#include "proto/gpu_lock_place.h"
#include "proto/gpu_uuid.h"
#include "tests/unit/temporary_folder.h"

namespace rafter {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

constexpr char kGpu[] = "GPU-07070707-0707-0707-0707-070707070707";
constexpr char kOtherGpu[] = "GPU-08080808-0808-0808-0808-080808080808";

// Descriptors of this process on files below `folder`.
std::vector<int> Descriptors(const std::string& folder) {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.starts_with(folder)) found.push_back(std::stoi(entry.path().filename()));
  }
  return found;
}

// Another process with a lock of its own, which does what it is told.
class Other {
 public:
  explicit Other(const std::string& folder, const std::string& gpu = kGpu) {
    int to_child[2];
    int to_parent[2];
    EXPECT_EQ(pipe2(to_child, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(to_parent, O_CLOEXEC), 0);
    pid_ = fork();
    if (pid_ == 0) {
      close(to_child[1]);
      close(to_parent[0]);
      Obey(folder, gpu, to_child[0], to_parent[1]);
    }
    close(to_child[0]);
    close(to_parent[1]);
    ask_ = to_child[1];
    answer_ = to_parent[0];
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;
  ~Other() {
    Kill();
    close(ask_);
    close(answer_);
  }

  bool TryTake() { return Tell('t'); }
  void GiveBack() { Tell('g'); }
  void Want(bool wanted) { Tell(wanted ? 'w' : 'u'); }
  bool Wanted() { return Tell('q'); }
  void BecomeSleep() { Tell('x'); }  // answers, then execs
  void Stop() const {
    kill(pid_, SIGSTOP);
    int status = 0;
    waitpid(pid_, &status, WUNTRACED);
  }
  void Kill() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  pid_t pid() const { return pid_; }

 private:
  bool Tell(char command) {
    char answer = 0;
    EXPECT_EQ(write(ask_, &command, 1), 1);
    EXPECT_EQ(read(answer_, &answer, 1), 1) << "the other process is gone";
    EXPECT_NE(answer, '!') << "the other process has no lock file";
    return answer == 'y';
  }

  [[noreturn]] static void Obey(const std::string& folder, const std::string& gpu, int commands,
                                int answers) {
    GpuLock lock;
    const bool opened = lock.Open(folder, gpu).ok();
    char command = 0;
    while (read(commands, &command, 1) == 1) {
      bool yes = true;
      if (command == 't') yes = lock.TryTake();
      if (command == 'g') lock.GiveBack();
      if (command == 'w') lock.Want(true);
      if (command == 'u') lock.Want(false);
      if (command == 'q') yes = lock.Wanted();
      const char answer = !opened ? '!' : yes ? 'y' : 'n';
      if (write(answers, &answer, 1) != 1) break;
      if (command == 'x') execlp("sleep", "sleep", "60", nullptr);
    }
    _exit(0);
  }

  pid_t pid_ = -1;
  int ask_ = -1;
  int answer_ = -1;
};

class GpuLocks : public testing::Test {
 protected:
  GpuLocks() { EXPECT_TRUE(lock_.Open(place_, kGpu).ok()); }

  // What opening in a folder says.
  static std::string Refusal(const std::string& folder) {
    GpuLock lock;
    const Status opened = lock.Open(folder, kGpu);
    EXPECT_FALSE(opened.ok());
    EXPECT_FALSE(lock.is_open());
    EXPECT_FALSE(lock.TryTake());
    EXPECT_FALSE(lock.Wanted());
    return opened.message();
  }

  // Tries until it works, at most 5 s.
  bool TakeInTheEnd() {
    for (const uint64_t end = NowNs() + 5'000'000'000; NowNs() < end; usleep(1000)) {
      if (lock_.TryTake()) return true;
    }
    return false;
  }

  TemporaryFolder folder_;
  const std::string place_ = folder_ / "rafter";
  GpuLock lock_;
};

TEST_F(GpuLocks, GiveAGpuToOneProcessAtATimeAndNameIt) {
  Other other(place_);
  EXPECT_FALSE(lock_.held());
  EXPECT_TRUE(other.TryTake());
  EXPECT_FALSE(lock_.TryTake());
  EXPECT_FALSE(lock_.held());
  std::string name = ReadFile("/proc/self/comm");
  name.pop_back();  // the line's end
  EXPECT_EQ(lock_.Holder(), "process " + std::to_string(other.pid()) + " (" + name + ")");
  other.GiveBack();
  EXPECT_EQ(lock_.Holder(), "another process");  // free by now
  EXPECT_TRUE(lock_.TryTake());
  EXPECT_TRUE(lock_.TryTake());  // has it already
  EXPECT_TRUE(lock_.held());
  EXPECT_FALSE(other.TryTake());
  lock_.GiveBack();
  EXPECT_FALSE(lock_.held());
  EXPECT_TRUE(other.TryTake());
}

TEST_F(GpuLocks, OfTwoGpusAreIndependent) {
  Other other(place_, kOtherGpu);
  EXPECT_TRUE(other.TryTake());
  EXPECT_TRUE(lock_.TryTake());
}

TEST_F(GpuLocks, AreFreeWhenTheHolderIsKilled) {
  Other other(place_);
  ASSERT_TRUE(other.TryTake());
  ASSERT_FALSE(lock_.TryTake());
  other.Kill();
  EXPECT_TRUE(lock_.TryTake());
}

TEST_F(GpuLocks, AreFreeWhenTheHolderBecomesAnotherProgram) {
  Other other(place_);
  ASSERT_TRUE(other.TryTake());
  ASSERT_FALSE(lock_.TryTake());
  other.BecomeSleep();
  EXPECT_TRUE(TakeInTheEnd());
  EXPECT_EQ(ReadFile("/proc/" + std::to_string(other.pid()) + "/comm"), "sleep\n");
}

TEST_F(GpuLocks, ShowTheHolderThatSomebodyWaits) {
  Other other(place_);
  Other third(place_);
  ASSERT_TRUE(lock_.TryTake());
  EXPECT_FALSE(lock_.Wanted());
  other.Want(true);
  third.Want(true);
  third.Want(true);  // keeps its place
  EXPECT_TRUE(lock_.Wanted());
  other.Want(false);
  EXPECT_TRUE(lock_.Wanted());   // by the third
  EXPECT_FALSE(third.Wanted());  // only by itself
  third.Want(false);
  EXPECT_FALSE(lock_.Wanted());
  third.Want(true);
  EXPECT_TRUE(lock_.Wanted());
  third.Kill();
  EXPECT_FALSE(lock_.Wanted());
}

TEST_F(GpuLocks, HavingOneEndsTheWaiting) {
  Other other(place_);
  other.Want(true);
  EXPECT_TRUE(lock_.Wanted());
  EXPECT_TRUE(other.TryTake());
  EXPECT_FALSE(lock_.Wanted());
}

TEST_F(GpuLocks, GoToWhoHasWaitedLongest) {
  Other first(place_);
  Other second(place_);
  ASSERT_TRUE(lock_.TryTake());
  first.Want(true);
  second.Want(true);
  lock_.GiveBack();
  lock_.Want(true);
  EXPECT_FALSE(lock_.TryTake());
  EXPECT_FALSE(second.TryTake());
  EXPECT_TRUE(first.TryTake());
  usleep(GpuLock::kLetOthersNs * 2 / 1000);
  first.GiveBack();
  EXPECT_FALSE(lock_.TryTake());  // the second has its own time to come
  EXPECT_TRUE(second.TryTake());
  second.GiveBack();
  EXPECT_TRUE(lock_.TryTake());
}

TEST_F(GpuLocks, AreNotKeptFreeForLongForOneThatWaitsAndDoesNotCome) {
  Other other(place_);
  ASSERT_TRUE(lock_.TryTake());
  other.Want(true);
  other.Stop();
  lock_.GiveBack();
  const uint64_t start = NowNs();
  EXPECT_FALSE(lock_.TryTake());
  EXPECT_TRUE(TakeInTheEnd());
  EXPECT_GE(NowNs() - start, GpuLock::kLetOthersNs);
}

TEST_F(GpuLocks, AreNotLeftToOthersWhenNobodyWaits) {
  Other other(place_);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(lock_.TryTake());
    lock_.GiveBack();
  }
}

// What the processes of one test see together.
struct Shared {
  std::atomic<int> inside{0};
  std::atomic<int> collisions{0};
  std::array<std::atomic<int>, 3> turns{};
  std::atomic<bool> go{false};
};

[[noreturn]] void TakeTurns(const std::string& place, Shared& shared, size_t which,
                            useconds_t between_tries_us) {
  GpuLock lock;
  if (!lock.Open(place, kGpu).ok()) _exit(1);
  while (!shared.go) usleep(100);
  for (const uint64_t end = NowNs() + 1'500'000'000; NowNs() < end; usleep(between_tries_us)) {
    lock.Want(true);
    if (!lock.TryTake()) continue;
    if (shared.inside.fetch_add(1) != 0) ++shared.collisions;
    usleep(3000);
    ++shared.turns[which];
    --shared.inside;
    lock.GiveBack();
  }
  _exit(0);
}

// The first tries fifty times as often as the last, and gets no more for it.
TEST_F(GpuLocks, GoRoundBetweenThreeProcesses) {
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  Shared& shared = *new (memory) Shared;
  std::vector<pid_t> children;
  for (const useconds_t between_tries_us : {100, 1000, 5000}) {
    const size_t which = children.size();
    const pid_t child = fork();
    if (child == 0) TakeTurns(place_, shared, which, between_tries_us);
    children.push_back(child);
  }
  shared.go = true;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(shared.collisions, 0);
  const int least =
      std::min({shared.turns[0].load(), shared.turns[1].load(), shared.turns[2].load()});
  const int most =
      std::max({shared.turns[0].load(), shared.turns[1].load(), shared.turns[2].load()});
  EXPECT_GE(least, 10);
  EXPECT_LE(most, 2 * least) << shared.turns[0] << ' ' << shared.turns[1] << ' ' << shared.turns[2];
  munmap(memory, sizeof(Shared));
}

TEST_F(GpuLocks, AreNeitherHeldNorDroppedByAForkedChild) {
  ASSERT_TRUE(lock_.TryTake());
  const pid_t child = fork();
  if (child == 0) {
    lock_.Forget();
    if (lock_.held() || lock_.is_open()) _exit(1);
    if (!Descriptors(place_).empty()) _exit(2);
    GpuLock own;
    if (!own.Open(place_, kGpu).ok()) _exit(3);
    if (own.TryTake()) _exit(4);
    if (own.Holder().find("process " + std::to_string(getppid()) + " (") != 0) _exit(5);
    _exit(0);  // closes its descriptor of the file as well
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "exit status " << WEXITSTATUS(status);
  EXPECT_TRUE(lock_.held());
  EXPECT_FALSE(Other(place_).TryTake());
}

TEST_F(GpuLocks, LieOnADescriptorAboveTheProgramsThatExecCloses) {
  const std::vector<int> ours = Descriptors(place_);
  ASSERT_THAT(ours, SizeIs(1));
  EXPECT_GE(ours[0], kLowestDescriptor);
  EXPECT_EQ(fcntl(ours[0], F_GETFD), FD_CLOEXEC);
  EXPECT_TRUE(lock_.Open(place_, kGpu).ok());  // once more
  EXPECT_EQ(Descriptors(place_), ours);
}

TEST_F(GpuLocks, OpenedAgainForTheSameGpuStayHeld) {
  ASSERT_TRUE(lock_.TryTake());
  EXPECT_TRUE(lock_.Open(place_, kGpu).ok());
  EXPECT_TRUE(lock_.held());
  EXPECT_FALSE(Other(place_).TryTake());
}

TEST_F(GpuLocks, AreLostWhenTheProgramClosesTheDescriptorAndHadAgain) {
  Other other(place_);
  ASSERT_TRUE(lock_.TryTake());
  close(Descriptors(place_).at(0));
  EXPECT_FALSE(lock_.held());
  EXPECT_TRUE(other.TryTake());
  EXPECT_FALSE(lock_.TryTake());
  EXPECT_EQ(lock_.trouble(), "");
  other.GiveBack();
  EXPECT_TRUE(lock_.TryTake());
  EXPECT_FALSE(other.TryTake());
}

TEST_F(GpuLocks, SayWhyTheyCannotBeHadAgain) {
  ASSERT_TRUE(lock_.TryTake());
  close(Descriptors(place_).at(0));
  std::filesystem::permissions(place_, std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  EXPECT_FALSE(lock_.TryTake());
  EXPECT_THAT(lock_.trouble(), HasSubstr("is open to others"));
}

// The program may have locks of its own on the file that got our number.
TEST_F(GpuLocks, LeaveAFileOfTheProgramAlone) {
  ASSERT_TRUE(lock_.TryTake());
  const int number = Descriptors(place_).at(0);
  const std::string path = folder_ / "of-the-program";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(dup2(file, number), number);
  struct flock all = {};
  all.l_type = F_WRLCK;
  ASSERT_EQ(fcntl(file, F_SETLK, &all), 0);
  EXPECT_FALSE(lock_.held());
  lock_.GiveBack();
  lock_.Want(false);
  EXPECT_TRUE(lock_.TryTake());
  lock_.GiveBack();
  const pid_t child = fork();
  if (child == 0) {
    struct flock look = {};
    look.l_type = F_WRLCK;
    fcntl(file, F_GETLK, &look);
    _exit(look.l_type == F_WRLCK && look.l_start == 0 && look.l_len == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "a lock of the program was changed";
  close(file);
  close(number);
}

TEST_F(GpuLocks, FollowAFolderThatWasMadeAnew) {
  std::filesystem::remove_all(place_);
  Other other(place_);  // makes it anew
  ASSERT_TRUE(other.TryTake());
  EXPECT_FALSE(lock_.TryTake());
  other.GiveBack();
  EXPECT_TRUE(lock_.TryTake());
}

TEST_F(GpuLocks, KeepAPlaceInLineOverANewDescriptor) {
  Other holder(place_);
  Other later(place_);
  ASSERT_TRUE(holder.TryTake());
  lock_.Want(true);
  later.Want(true);
  close(Descriptors(place_).at(0));
  EXPECT_FALSE(lock_.TryTake());  // opens the file again
  holder.GiveBack();
  EXPECT_FALSE(later.TryTake());
  EXPECT_TRUE(lock_.TryTake());
}

TEST_F(GpuLocks, MakeAFolderForTheUserAlone) {
  struct stat made;
  ASSERT_EQ(stat(place_.c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 0777, 0700u);
  EXPECT_TRUE(std::filesystem::exists(place_ + "/gpu-07070707-0707-0707-0707-070707070707.lock"));
}

TEST_F(GpuLocks, RefuseAFolderThatOthersMayChange) {
  const std::string loose = folder_ / "loose";
  ASSERT_EQ(mkdir(loose.c_str(), 0700), 0);
  ASSERT_EQ(chmod(loose.c_str(), 0770), 0);
  EXPECT_EQ(Refusal(loose), "no lock on " + std::string(kGpu) + ": folder " + loose +
                                " is open to others; close it with \"chmod 700 " + loose + "\"");
  EXPECT_TRUE(std::filesystem::is_empty(loose));
}

TEST_F(GpuLocks, RefuseAFolderOfAnotherUser) {
  std::string foreign = "/usr";
  uid_t owner = 0;
  if (geteuid() == 0) {
    foreign = folder_ / "foreign";
    owner = 12345;
    ASSERT_EQ(mkdir(foreign.c_str(), 0700), 0);
    ASSERT_EQ(chown(foreign.c_str(), owner, owner), 0);
  }
  EXPECT_THAT(Refusal(foreign), AllOf(HasSubstr("folder " + foreign + " belongs to user " +
                                                std::to_string(owner) + ", not you"),
                                      HasSubstr("XDG_RUNTIME_DIR")));
}

TEST_F(GpuLocks, RefuseALinkInPlaceOfAFolderOrAFile) {
  const std::string link = folder_ / "link";
  std::filesystem::create_directory_symlink(place_, link);
  EXPECT_THAT(Refusal(link), HasSubstr(link + " is a symbolic link"));
  const std::string own = folder_ / "own";
  ASSERT_EQ(mkdir(own.c_str(), 0700), 0);
  const std::string file = own + "/" + GpuLockFile(kGpu);
  std::filesystem::create_symlink(folder_ / "elsewhere", file);
  EXPECT_THAT(Refusal(own), HasSubstr("file " + file + ": Too many levels of symbolic links"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "elsewhere"));
}

TEST_F(GpuLocks, RefuseWhatIsNoFolderAndNoFile) {
  WriteFile(folder_ / "file", "");
  EXPECT_THAT(Refusal(folder_ / "file"), HasSubstr("is not a folder"));
  EXPECT_THAT(Refusal(folder_ / "not/there"),
              HasSubstr("folder " + (folder_ / "not/there") +
                        " cannot be made: No such file or directory"));
  EXPECT_THAT(Refusal("rafter"), HasSubstr("folder \"rafter\" is no absolute path"));
  const std::string own = folder_ / "own";
  ASSERT_EQ(mkdir(own.c_str(), 0700), 0);
  ASSERT_EQ(mkfifo((own + "/" + GpuLockFile(kGpu)).c_str(), 0600), 0);
  EXPECT_THAT(Refusal(own), HasSubstr("is not a file of yours"));
  GpuLock lock;
  EXPECT_THAT(lock.Open(place_, "../GPU").message(), HasSubstr("GPU \"../GPU\""));
}

TEST(GpuLockPlace, IsInTheUsersRuntimeFolderElseInTmp) {
  EXPECT_EQ(GpuLockFolder("/run/user/1000", 1000), "/run/user/1000/rafter");
  EXPECT_EQ(GpuLockFolder("", 1000), "/tmp/rafter-1000");
  EXPECT_EQ(GpuLockFolder("run", 0), "/tmp/rafter-0");
}

TEST(GpuLockPlace, NamesAFileByTheUuidAndRefusesOtherText) {
  const std::string uuid(16, '\x07');
  EXPECT_EQ(GpuUuidText(uuid.data(), uuid.size()), kGpu);
  EXPECT_EQ(GpuUuidText(uuid.data(), 15), "");
  EXPECT_EQ(GpuLockFile(kGpu), "gpu-07070707-0707-0707-0707-070707070707.lock");
  EXPECT_EQ(GpuLockFile("MIG-a1"), "gpu-MIG-a1.lock");
  EXPECT_EQ(GpuLockFile(uuid), "");
  EXPECT_EQ(GpuLockFile(""), "");
  EXPECT_EQ(GpuLockFile("../x"), "");
  EXPECT_EQ(GpuLockFile(std::string(65, 'a')), "");
}

TEST(GpuLockPlace, TakesTheRuntimeFolderOnlyWhereItIsTheUsers) {
  const TemporaryFolder folder;
  const std::string in_tmp = "/tmp/rafter-" + std::to_string(geteuid());
  setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
  EXPECT_EQ(ReadOptions().gpu_locks, folder / "rafter");
  setenv("XDG_RUNTIME_DIR", (folder / "not-there").c_str(), 1);
  EXPECT_EQ(ReadOptions().gpu_locks, in_tmp);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(folder.path().c_str(), 12345, 12345), 0);
    setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
    EXPECT_EQ(ReadOptions().gpu_locks, in_tmp);
  }
  unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(ReadOptions().gpu_locks, in_tmp);
}

}  // namespace
}  // namespace rafter
