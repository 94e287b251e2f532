//===- Search.h - an exact search that can be interrupted -------*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_SEARCH_H
#define TALLY_PLAN_MEMORY_SEARCH_H

#include "tally/plan/memory/Instance.h"

namespace tally::plan::memory {

/// What all searches of one instance share; about as large as the lists of
/// pairs that meet and of items by section.
struct SearchTables {
  explicit SearchTables(const Instance &instance);

  const Instance &instance;
  Rows<ItemId> meets;
  Rows<uint32_t> cliquesOf;   ///< of items; sections come first
  Rows<ItemId> members;       ///< of cliques
  std::vector<Interval> hull; ///< of items: first and last section, half-open
  /// Items of one kind can change places: their kind, and the next of it or
  /// kNone.
  std::vector<ItemId> kind;
  std::vector<int64_t> nextTwin;
  bool hasTaken = false; ///< some section has bytes that no item may have
  /// Plans fall into parts at sections that nothing crosses.
  bool canSplit = false;
};

/// When the fullest clique of an item, without what is placed, is looked for.
enum class Fullest { Never, AtSplit, AtEachStep };

/// An order of items at one address: unless `fullest` is Never, the item with
/// the fullest clique comes first; ranks break ties.
struct TrialOrder {
  std::vector<uint32_t> ranks;
  Fullest fullest = Fullest::Never;
};
using Ranks = std::vector<TrialOrder>;

/// Orders to try in turn, the most promising first; the same ones each time.
Ranks trialOrders(const SearchTables &tables);

class Search {
public:
  enum class State { Found, Exhausted, Suspended };

  /// For plans that end at `target` or below. `tables` outlives the search.
  Search(const SearchTables &tables, Ranks ranks, int64_t target,
         uint64_t budget);

  /// Goes on for up to `nodes` steps. After Found, `addresses` has a plan;
  /// after Exhausted there is none.
  State run(uint64_t nodes);
  const std::vector<int64_t> &addresses() const { return address; }
  uint64_t steps() const { return stepsTaken; }

private:
  /// Items pool[begin, end) are to be placed in sections [first, last).
  struct Part {
    uint32_t begin, end;
    uint32_t first, last;
    int32_t parent;                   ///< that it was split from, or kNone
    int32_t next;                     ///< to be solved after it, or kNone
    uint32_t order = 0;               ///< position in ranks
    uint64_t budget = 0, expires = 0; ///< steps until it is begun anew
  };
  /// What placing an item changed, to be taken back.
  struct Frame {
    ItemId item;
    int32_t part;
    uint32_t parts; ///< how many there were
    uint32_t lows, watches, deadlines, fullests;
  };
  template <typename T> struct Change {
    uint32_t index;
    T old;
  };

  void start();
  bool advance();
  void beginAnew();
  int64_t fullestOf(ItemId item) const;
  bool isFirst(ItemId a, ItemId b) const;
  uint32_t findLowest(const Part &part, int64_t &first) const;
  bool place(uint32_t at);
  bool raiseNeighbours(ItemId item);
  bool raise(ItemId item, int64_t low);
  bool delay(ItemId item);
  bool isWithin(int32_t part, int32_t ancestor) const;
  bool backtrack();
  void undo(const Frame &frame);

  int64_t freeAbove(uint32_t clique, int64_t from) const;
  bool proves(uint32_t clique, ItemId item) const;
  bool keepWatch(uint32_t clique, uint32_t slot);
  bool raiseAbove(ItemId item, int64_t latest, bool &hasRaised);
  bool checkClique(uint32_t clique, bool &hasRaised);
  bool checkCliques(const Part &part);

  bool countCrossing(ItemId item, int32_t by);
  void split();
  void addParts(const std::vector<uint32_t> &cuts);
  void findFullest(const Part &part);
  int64_t slackOf(const Part &part) const;

  const SearchTables &tables;
  const Instance &instance;
  Ranks ranks;
  uint64_t budget;
  int64_t target, ceiling; ///< ceiling: the target in whole steps

  std::vector<int64_t> address;  ///< of placed items
  std::vector<int64_t> low;      ///< of items to place; placed: kUnlimited
  std::vector<int64_t> deadline; ///< see Search.cpp; kUnlimited: none
  std::vector<int64_t> room;
  std::vector<int64_t> fullest;  ///< of items, when their part was split off
  std::vector<int64_t> total;    ///< room of the items to place, by clique
  std::vector<ItemId> watches;   ///< two by clique: see Search.cpp
  std::vector<int32_t> crossing; ///< items to place in sections s and s + 1
  std::vector<ItemId> pool;
  std::vector<Part> parts;
  int32_t current = -1;
  int32_t failed = -1; ///< the part that cannot be solved

  std::vector<Frame> frames;
  std::vector<Change<int64_t>> lows, deadlines, fullests;
  std::vector<Change<ItemId>> watchTrail;
  uint64_t stepsTaken = 0;
  bool isStarted = false, isExhausted = false;
};

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_SEARCH_H
