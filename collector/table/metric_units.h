// MetricUnits are the units of a row's metrics. Rows of one file have the same, so copies
// share them until one is changed: they were a fifth of a table of three metrics.
//
//   Threads   copies are good on several threads, one of them on one.
//   Blocking  never.
//   Memory    one map for all copies that were not changed.
//   Lifetime  plain values; a reference that [] gave is good until the next copy.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>

namespace rafter {

class MetricUnits {
 public:
  using Map = std::map<std::string, std::string>;  // by CUPTI name: "Byte", "Byte/cycle", ...

  MetricUnits() = default;
  MetricUnits(std::initializer_list<Map::value_type> units) : map_(std::make_shared<Map>(units)) {}

  Map::const_iterator begin() const { return map().begin(); }
  Map::const_iterator end() const { return map().end(); }
  Map::const_iterator find(const std::string& metric) const { return map().find(metric); }
  const std::string& at(const std::string& metric) const { return map().at(metric); }

  std::string& operator[](const std::string& metric) { return Own()[metric]; }
  // Keeps what is there already.
  void insert(Map::const_iterator first, Map::const_iterator last) { Own().insert(first, last); }
  void clear() { map_.reset(); }

 private:
  static const Map& Empty() {
    static const auto* const empty = new Map;
    return *empty;
  }
  const Map& map() const { return map_ ? *map_ : Empty(); }
  Map& Own() {
    if (!map_) {
      map_ = std::make_shared<Map>();
    } else if (map_.use_count() > 1) {
      map_ = std::make_shared<Map>(*map_);
    }
    return *map_;
  }

  std::shared_ptr<Map> map_;
};

}  // namespace rafter
