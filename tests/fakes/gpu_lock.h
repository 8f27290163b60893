// GpuLock gives a fake GPU's counters to one session at a time, across the
// contexts of a process and across processes.
//
//   Threads   any; the caller serialises calls for one device.
//   Blocking  never; a GPU that is taken is refused.
//   Memory    a word for each device; no descriptor stays open.
//   Lifetime  a GPU whose process has ended is free.
#pragma once

#include <string>

namespace rafter::fakes {

// False when somebody else has the GPU, another context of this process too. Files lie in
// $RAFTER_FAKE_STATE; where that is unset, only this process is looked at.
bool TakeGpu(int device);
void GiveGpuBack(int device);
bool AnotherProcessHasGpu(int device);
void ForgetGpuLocks();

}  // namespace rafter::fakes
