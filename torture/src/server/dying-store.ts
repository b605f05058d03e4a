import type { Store } from '@throughline/store/testing'

/** Returns the same store. `reach` is called before and after each call of a port, such as `before-runs.claim`. */
export function dyingStore(store: Store, reach: (name: string) => void): Store {
  return {
    ...store,
    chats: dyingPort('chats', store.chats, reach),
    messages: dyingPort('messages', store.messages, reach),
    runs: dyingPort('runs', store.runs, reach),
    files: dyingPort('files', store.files, reach),
    log: dyingPort('log', store.log, reach),
  }
}

function dyingPort<Port extends object>(name: string, port: Port, reach: (name: string) => void): Port {
  return new Proxy(port, {
    get(target, key, receiver) {
      const method: unknown = Reflect.get(target, key, receiver)
      if (typeof method !== 'function') return method
      return (...values: readonly unknown[]) => {
        reach(`before-${name}.${String(key)}`)
        const result: unknown = Reflect.apply(method, target, values)
        if (!(result instanceof Promise)) return result
        return result.then(value => {
          reach(`after-${name}.${String(key)}`)
          return value
        })
      }
    },
  })
}
