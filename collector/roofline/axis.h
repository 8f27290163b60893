// LogAxis maps values to the page along one logarithmic axis and says where
// its ticks are.
//
//   Threads   const after construction.
//   Blocking  never.
//   Memory    four doubles.
//   Lifetime  plain value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rafter {

struct Tick {
  double value = 0;
  bool is_decade = false;
  std::string text;  // empty: a mark without a number
};

class LogAxis {
 public:
  // `low` and `high` are values, both positive, low < high; the others are
  // where they stand on the page.
  LogAxis(double low, double high, double low_at, double high_at);

  double low() const { return low_; }
  double high() const { return high_; }
  bool Has(double value) const { return value >= low_ && value <= high_; }
  double At(double value) const;
  double ValueAt(double at) const;

  // Decades with numbers, and 2 to 9 between them without. Fewer numbers where
  // decades are many, and numbers at 2 and 5 too where they are few. `unit`
  // empty: plain numbers and powers of ten; else SI prefixes ("10 TFLOP/s").
  std::vector<Tick> Ticks(std::string_view unit) const;

 private:
  double low_;
  double high_;
  double low_at_;
  double high_at_;
};

// "0.01", "1", "1000", "10⁵", "5·10⁻⁷".
std::string PowerText(double digit, int exponent);

}  // namespace rafter
