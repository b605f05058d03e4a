/**
 * Memoises a function by object identity (`WeakMap`): the same object gives the same result. `undefined` is not
 * remembered.
 */
export function memoizeByIdentity<Key extends object, Value>(find: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>()
  return key => {
    let value = known.get(key)
    if (value === undefined) {
      value = find(key)
      known.set(key, value)
    }
    return value
  }
}
