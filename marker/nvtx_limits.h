// How much of NVTX is kept, over the whole process.
//
//   Threads   constants.
//   Blocking  constants.
//   Memory    constants.
//   Lifetime  constants.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rafter {

// Names of registered strings. PyTorch registers a few hundred; 16 MiB is a
// hundred thousand of 160 bytes.
inline constexpr size_t kMaxRegisteredBytes = 16u << 20;
inline constexpr size_t kMaxStrings = 1u << 17;

// What a sink answers for a domain that it has no room for; no sink tracks it.
inline constexpr uint32_t kUntrackedDomain = UINT32_MAX;

// Domains that have a handle of ours. Sinks know far fewer.
inline constexpr size_t kMaxDomainHandles = 4096;

// Handles of another tool by which programs call what is ours; places in a table
// that is used to three quarters.
inline constexpr size_t kMaxTheirDomains = 1024;
inline constexpr size_t kMaxTheirStrings = 1u << 16;

// Start/end ranges open at once that another tool sees too.
inline constexpr size_t kMaxPairs = 1024;

// Modules that another tool is attached to. A PyTorch process has about 30; a
// plugin that is loaded again is another one.
inline constexpr size_t kMaxToolModules = 128;

// Different sets of functions that another tool gives its modules. The tools that
// we know give every module the same.
inline constexpr size_t kMaxToolSets = 4;

// Payload schemas, and what is read of one. NCCL registers 20.
inline constexpr size_t kMaxSchemas = 1024;
inline constexpr size_t kMaxSchemaEntries = 256;
inline constexpr size_t kMaxPayloads = 64;

}  // namespace rafter
