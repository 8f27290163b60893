// GpuLock says which process counts on a GPU: the one that has the kernel's
// record lock on the GPU's file. Those who wait stand in line in the same file,
// and nobody needs a collector for it (docs/decisions/0008).
//
//   Threads   the recorder only; Forget: a forked child.
//   Blocking  never; a few system calls.
//   Memory    three short strings and one descriptor.
//   Lifetime  one for each GPU in a process, since record locks belong to the
//             process. The kernel frees the lock when the process ends or execs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cupti/status.h"
#include "inject/descriptor.h"

namespace rafter {

class GpuLock {
 public:
  // A GPU that is free is left to the one who has waited longest for this long,
  // then it goes to whoever comes. Whoever waits should try more often than this
  // to keep its turn; a process that is stopped while it waits costs the others
  // this much a turn.
  static constexpr uint64_t kLetOthersNs = 20'000'000;

  GpuLock() = default;
  GpuLock(const GpuLock&) = delete;
  GpuLock& operator=(const GpuLock&) = delete;
  ~GpuLock();

  // Opens the file of the GPU `uuid` ("GPU-0707...") in `folder`, which is made
  // when it is missing and must be the user's alone. Once it is open for a GPU,
  // opening it for the same GPU again changes nothing. Where this fails there is
  // no lock to be had, and the caller counts without one: the hardware then
  // refuses the second process itself.
  Status Open(const std::string& folder, const std::string& uuid);
  bool is_open() const { return !path_.empty(); }

  // Whether this process has the GPU now; at once in any case. Refuses while
  // another process has it, and while others wait longer than we do, at most for
  // kLetOthersNs of a free GPU. Having it ends the waiting.
  bool TryTake();
  void GiveBack();

  // False also when the program closed our descriptor, which drops the lock.
  bool held() const;

  // Stands in line, or leaves it. In line already: keeps the place.
  void Want(bool wanted);

  // Whether another process stands in line.
  bool Wanted() const;

  // Who has the GPU: "process 4711 (bench)", or "another process" where the
  // kernel does not say (another container) and when it is free by now.
  std::string Holder() const;

  // Why TryTake cannot succeed any more, since the program closed the descriptor
  // and no other can be had; empty when all is well.
  const std::string& trouble() const { return trouble_; }

  // In a forked child, which inherits the descriptor and no lock: closes the
  // first and leaves the parent's lock alone.
  void Forget();

 private:
  bool IsOurs() const;
  bool Ready();
  bool OthersFirst();
  void Close();

  std::string folder_;
  std::string uuid_;
  std::string path_;
  std::string trouble_;
  int fd_ = -1;
  std::optional<FileIdentity> file_;
  bool held_ = false;
  uint64_t waiting_since_ns_ = 0;  // our place in the line; 0: not in it
  int64_t left_to_ = 0;            // the place that goes before us; 0: none
  uint64_t free_since_ns_ = 0;     // since when we leave it a free GPU; 0: we do not
};

}  // namespace rafter
