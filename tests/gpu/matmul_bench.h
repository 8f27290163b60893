// MatmulBench is the main program of the matrix products that are written against
// Google Benchmark, one program for each way to reach the GPU: what they have in
// common is here, what differs is a Multiplier.
//
//   Threads   one.
//   Blocking  until all benchmarks have run.
//   Memory    three square matrices of FP32, on the device.
//   Lifetime  main's.
#pragma once

#include <string>
#include <vector>

namespace rafter {

// Value of every element of A and of B. A product of size N is 2N everywhere,
// exactly, whatever the order of its sums.
inline constexpr float kElementOfA = 1;
inline constexpr float kElementOfB = 2;

// One way to multiply square matrices of FP32: C = A B. A failure ends the program
// with one line and status 1.
class Multiplier {
 public:
  virtual ~Multiplier() = default;
  // Makes matrices of `size` rows with A and B filled, in place of earlier ones.
  virtual void Prepare(int size) = 0;
  // Launches one product; does not wait for it.
  virtual void Multiply() = 0;
  // Waits for all products.
  virtual void Wait() = 0;
  // The last element of C.
  virtual float Last() = 0;
};

struct MatmulFamily {
  std::string name;  // "MatrixMultiplication-Tiled"
  Multiplier* multiplier = nullptr;
};

// Runs the benchmarks `NAME/SIZE`, each product in an NVTX region of that name, and
// reports `paradigm` as context. As newer versions of the library do, the program
// starts itself anew without address randomisation first.
int RunMatmulBench(int argc, char** argv, const std::string& paradigm,
                   const std::vector<MatmulFamily>& families);

}  // namespace rafter
