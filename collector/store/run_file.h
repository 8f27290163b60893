// RunFile is the store: one SQLite file per run, or for the runs of a batch.
// docs/run-file.md describes the schema. It is the only place in the project that
// speaks SQL.
//
//   Threads   one thread at a time.
//   Blocking  disk writes; commits at most once a second and at Close.
//   Memory    one SQLite connection; rows are not kept.
//   Lifetime  Close or the destructor finishes the file; after a crash the
//             last committed frame is intact (WAL).
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "collector/store/run.h"

struct sqlite3;

namespace rafter {

// A number that the program attached to an event. SQLite knows signed integers: a
// greater unsigned one is kept as its decimal text.
using StoredPayload = std::variant<std::monostate, int64_t, double, std::string>;

// One finished instance, as it came over the wire.
struct StoredInstance {
  uint32_t path = 0;
  uint32_t thread = 0;
  uint64_t start_ns = 0;
  uint64_t duration_ns = 0;
  uint32_t epoch = 0;      // 0: not counted
  uint32_t uncounted = 0;  // wire.Uncounted
  std::optional<uint32_t> launches;
  uint32_t device = 0;    // index plus one; 0: the only one, or none
  uint32_t category = 0;  // 0: none
  StoredPayload payload = {};
};

// Something that the program said happened at one moment.
struct StoredMark {
  uint32_t path = 0;
  uint32_t thread = 0;
  uint64_t time_ns = 0;
  uint32_t category = 0;  // 0: none
  StoredPayload payload = {};
};

class RunFile {
 public:
  enum class Existing { kRefuse, kReplace, kAppend, kAmend };

  // Makes a run file of one command. kRefuse: fails when `path` exists (and names
  // --force). kAppend: opens a run file that is there, refusing one that is not ours,
  // whose schema is newer or that holds several commands; one of an older schema is
  // brought to ours first. kAmend: the same for what is in it already, so that it may
  // hold several.
  static absl::StatusOr<std::unique_ptr<RunFile>> Create(const std::string& path,
                                                         Existing existing);

  // Makes a run file without a command, in the place of `path`: AppendCommand puts
  // them in.
  static absl::StatusOr<std::unique_ptr<RunFile>> CreateEmpty(const std::string& path);

  // Removes what SQLite may have left beside `path`, so that another file can take its
  // place. Fails where a process is writing it.
  static absl::Status ClearBeside(const std::string& path);

  // Opens for reading. The message tells a missing file, an unreadable one, a
  // foreign one and one of a newer schema apart.
  static absl::StatusOr<std::unique_ptr<RunFile>> OpenForReading(const std::string& path);

  ~RunFile();

  // Puts a process in, or finds the one with the same host, boot id, pid and
  // start. Returns its id.
  absl::StatusOr<int64_t> AddProcess(const RunProcess& identity);

  absl::Status AddDevice(int64_t process, const RunDevice& device,
                         const std::vector<uint8_t>& counter_availability);
  // Sets, missing metrics, origin and error of the device's plan, and the
  // configuration image.
  absl::Status SetPlan(int64_t process, const RunDevice& device,
                       const std::vector<uint8_t>& configuration);
  absl::Status AddPath(int64_t process, const RegionPath& path);
  // An instance that is there already (same path, thread, start and device, in
  // an earlier call) is not stored again; `duplicates` grows by one for each.
  absl::Status AddInstances(int64_t process, std::span<const StoredInstance> instances,
                            uint64_t* duplicates = nullptr);
  // Marks of one name inside a region, numbered as regions are.
  absl::Status AddMarkName(int64_t process, const RegionPath& path);
  absl::Status AddMarks(int64_t process, std::span<const StoredMark> marks);
  // What the program calls a category of a domain; the later name wins.
  absl::Status NameCategory(int64_t process, const std::string& domain, uint32_t category,
                            const std::string& name);
  // Passes through a region that the target could not record; total so far.
  absl::Status SetDroppedInstances(int64_t process, uint32_t path, uint64_t count);
  // `patches` is the serialised wire.Image; with `baseline` (a serialised
  // wire.Baseline) it can be evaluated again later. Both are kept compressed.
  absl::Status AddBaseline(int64_t process, uint32_t device, uint32_t baseline,
                           const std::string& serialised);
  // AlreadyExists for an epoch number that the process has: nothing changes.
  // `epoch.baseline` names the baseline added last under that number. An image
  // whose values are known is dropped, and counted, beyond kMaxKeptImageBytes.
  absl::Status AddEpoch(int64_t process, const Epoch& epoch, const std::string& serialised_image);
  absl::StatusOr<bool> HasEpoch(int64_t process, uint32_t epoch);
  // Replaces the values of an epoch that was stored without.
  absl::Status SetEpochValues(int64_t process, const Epoch& epoch);
  absl::Status AddKernel(int64_t process, const RunKernel& kernel);
  // A note that is there already is not stored again.
  absl::Status AddNote(int64_t process, const RunNote& note);
  // Takes back notes that begin with `text_prefix` and are no longer true.
  absl::Status RemoveNotes(int64_t process, const std::string& text_prefix);
  absl::Status SetLoss(int64_t process, const std::string& kind, uint64_t count);  // total so far
  // What counting cost so far; an earlier account changes nothing.
  absl::Status SetCost(int64_t process, const RunCost& cost);
  absl::Status SetEnding(int64_t process, const std::string& ending);
  absl::StatusOr<std::string> Ending(int64_t process);
  absl::Status SetCommand(const std::string& command, std::optional<int> exit_status);
  absl::Status AddProgramRun(const ProgramRun& run);
  absl::Status AddCollectorLoss(const std::string& kind, uint64_t more);
  // A process of which no stream told, with its devices and ending: one that LIKWID
  // alone counted. Known by host, boot id, pid and start like any other, so what is
  // known by its files only needs a boot id of its own. Returns its id.
  absl::StatusOr<int64_t> AddMarkerProcess(const RunProcess& process);
  // Readings of a process that is there. Those of the same process, run and source
  // take the place of earlier ones.
  absl::Status AddMarkerReadings(const MarkerReadings& markers);

  // What a process said of its devices, for a stream that goes on with it.
  struct StoredDevice {
    RunDevice device;
    std::vector<uint8_t> availability;
    bool has_epochs = false;
  };
  absl::StatusOr<std::vector<StoredDevice>> Devices(int64_t process);
  // The baseline added last under this number, serialised; NotFound without one.
  absl::StatusOr<std::string> Baseline(int64_t process, uint32_t device, uint32_t baseline);

  // What an epoch that is stored without values needs to be evaluated.
  struct Unevaluated {
    int64_t process = 0;
    uint32_t device = 0;
    uint32_t epoch = 0;
    std::string chip;
    std::vector<uint8_t> availability;
    std::string gpu;  // UUID
    std::vector<Counter> counters;
    std::string baseline;        // serialised wire.Baseline
    std::string image;           // serialised wire.Image
    uint32_t cupti_version = 0;  // of the target; its major version must be met
    Epoch stored;                // as stored, slots without values
    int64_t row = 0;             // place in the file, to go on from
  };
  // All of them, or at most `at_most` behind row `after`.
  absl::StatusOr<std::vector<Unevaluated>> UnevaluatedEpochs(uint64_t at_most = UINT64_MAX,
                                                             int64_t after = 0);

  // Puts the one command of `source` behind those that are here, with everything that
  // belongs to it: processes, runs of a replay, values, raw images. `name` is the
  // program's; `report` takes the place of the one in `source` where it says anything.
  // All or nothing: where `source` cannot be read, or holds several commands, this file
  // stays as it was and takes others.
  absl::Status AppendCommand(RunFile& source, const std::string& name, const ProgramReport& report);

  // Numbers of the commands that it holds, in their order: one, or several of a batch. None
  // only before AppendCommand.
  absl::StatusOr<std::vector<uint32_t>> Commands();

  // Reads one command, instances summed up by path.
  absl::StatusOr<Run> ReadCommand(uint32_t command);
  // The only one. Fails where there are several, or none.
  absl::StatusOr<Run> Read();

  // Hands out the instances of a process one by one: thread by thread, in the order
  // of their starts, the longest first; rows of one pass on several devices in a row.
  // Ends with the first failure of `take`.
  absl::Status EachInstance(int64_t process,
                            const std::function<absl::Status(const StoredInstance&)>& take);
  // Likewise its marks, thread by thread, in the order of time.
  absl::Status EachMark(int64_t process,
                        const std::function<absl::Status(const StoredMark&)>& take);
  // Names of marks, by their number, and of categories, by domain and number.
  absl::StatusOr<std::map<uint32_t, RegionPath>> MarkNames(int64_t process);
  absl::StatusOr<std::map<std::pair<std::string, uint32_t>, std::string>> CategoryNames(
      int64_t process);

  absl::Status Commit();
  absl::Status Close();  // commits, checkpoints, leaves one file without -wal and -shm

  const std::string& path() const { return path_; }

  // The first write that failed, with path and cause. From then on every write
  // answers the same: what was committed before is intact, the rest is lost.
  const absl::Status& failure() const;

  // Compressed raw images kept for metrics that nobody asked for yet, of each command:
  // AppendCommand takes all that its source has. 256 MiB is 20,000 epochs of 12 KB, more
  // than an hour of rotation without pause.
  static constexpr uint64_t kMaxKeptImageBytes = 256ull << 20;

 private:
  struct Shifts;
  RunFile(sqlite3* database, std::string path);
  static absl::StatusOr<std::unique_ptr<RunFile>> MakeNew(const std::string& path);
  static absl::StatusOr<std::unique_ptr<RunFile>> OpenForMore(const std::string& path);
  absl::Status Prepare(bool writable, bool is_new);
  absl::Status ReadOlderSchema(int64_t schema);
  absl::Status CheckOneCommand(const std::vector<uint32_t>& commands) const;
  absl::Status CopyCommand(RunFile& source, uint32_t from, const std::string& name,
                           const ProgramReport& report);
  absl::Status CopyTable(RunFile& source, const std::string& table, const Shifts& shifts);
  absl::Status CopyCommandLine(RunFile& source, uint32_t from, uint32_t to, const std::string& name,
                               const ProgramReport& report);
  absl::Status BringUpToDate();
  absl::Status PutSets(int64_t process, const RunDevice& device);
  absl::Status PutSlots(int64_t process, const Epoch& epoch);
  bool HasReplays();  // files from before application replay lack what it needs
  absl::Status ReadCommandLine(Run& run, uint32_t command);
  absl::Status ReadProcesses(Run& run, uint32_t command);
  absl::Status ReadProgramRuns(Run& run, uint32_t command);
  absl::Status ReadMarkers(Run& run, uint32_t command);
  absl::Status ReadCost(RunProcess& process);
  absl::Status ReadDevices(RunProcess& process);
  absl::Status ReadPaths(RunProcess& process);
  absl::Status ReadLaunches(std::map<uint32_t, RegionPath>& paths, int64_t process);
  absl::Status ReadInstances(std::map<uint32_t, RegionPath>& paths, int64_t process);
  absl::Status ReadDetails(std::map<uint32_t, RegionPath>& paths, int64_t process);
  absl::Status ReadDropped(std::map<uint32_t, RegionPath>& paths, int64_t process);
  absl::Status ReadEpochs(RunProcess& process);
  absl::Status ReadRest(RunProcess& process);

  sqlite3* database_;
  std::string path_;
  struct Statements;
  std::unique_ptr<Statements> statements_;
};

}  // namespace rafter
