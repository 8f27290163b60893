// ProgramRun starts a target program, waits for it within a limit, and says what came
// of it.
//
//   Threads   one at a time for one object.
//   Blocking  until the program and its output are done, at most the limit.
//   Memory    owns all that the program wrote.
//   Lifetime  the folder of a run goes with its object.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace rafter::survival {

// How we get in.
enum Entry : unsigned { kNone = 0, kCuda = 1, kNvtx = 2, kPreload = 4 };
std::string EntryName(unsigned entries);

// What came of a run.
struct Outcome {
  std::string out;
  std::string err;
  int status = -1;  // of waitpid
  bool timed_out = false;
  double seconds = 0;
  bool was_there = false;  // our library, by absolute path, in /proc/self/maps
  std::string aside;       // what the story wrote to SURVIVAL_ASIDE
};

// Text of a wait status, for messages.
std::string StatusText(int status);

class ProgramRun {
 public:
  // `program`: a name below the build's folder of target programs, or an
  // absolute path.
  ProgramRun(std::string program, std::vector<std::string> arguments);
  ~ProgramRun();
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  ProgramRun& Enter(unsigned entries);
  ProgramRun& Set(const std::string& name, const std::string& value);
  ProgramRun& Unset(const std::string& name);
  ProgramRun& Limit(double seconds);
  // Closes these files in the child before exec.
  ProgramRun& Close(int file);

  // The run's own folder: current folder of the program, TMPDIR of all sockets
  // and side files.
  const std::string& folder() const { return folder_; }

  Outcome Go();

  // Names in the folder that end so.
  std::vector<std::string> FilesEndingIn(const std::string& suffix) const;

 private:
  const std::string program_;
  const std::vector<std::string> arguments_;
  std::string folder_;
  std::map<std::string, std::string> environment_;
  std::vector<int> closed_;
  double limit_s_ = 20;
};

// Paths that tests name absolutely.
std::string InjectPath();
std::string ProgramPath(const std::string& name);
std::string FakesPath();

// The story told by `program` without us and with us must look the same, and
// we must have been there, and it must not take a second longer. `change` is
// applied to both runs.
template <typename Change>
void ExpectUnchanged(const std::string& program, const std::string& story, unsigned entries,
                     Change change);

void ExpectSame(const Outcome& without, const Outcome& with, bool prove = true);

template <typename Change>
void ExpectUnchanged(const std::string& program, const std::string& story, unsigned entries,
                     Change change) {
  ProgramRun alone(program, {story});
  change(alone);
  const Outcome without = alone.Go();
  ProgramRun together(program, {story});
  change(together);
  together.Enter(entries);
  ExpectSame(without, together.Go());
}

inline void ExpectUnchanged(const std::string& program, const std::string& story,
                            unsigned entries) {
  ExpectUnchanged(program, story, entries, [](ProgramRun&) {});
}

}  // namespace rafter::survival
