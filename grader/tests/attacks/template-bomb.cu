// attack: 1-bulk-copy-1d
// tries: instantiates templates without end
// build deadline: 5
// expect: exit 1
// expect: says compile
template <class... T> struct bomb {
  static const int value = bomb<T..., T...>::value + bomb<int, T..., T...>::value;
};
static const int boom = bomb<int>::value;
