import type { Services } from './context.ts'
import type { Route } from './route.ts'

/**
 * The routes for supervisors and load balancers. They are asked often, so neither of them reads a row: the store
 * remembers its health for a second.
 */
export function systemRoutes({ readiness, storeWatch }: Services): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/health',
      policy: 'public',
      handle: async context => {
        await storeWatch.assertWritable()
        return context.json({ status: 'ok' })
      },
    },
    {
      method: 'GET',
      path: '/ready',
      policy: 'public',
      handle: async context => {
        readiness.assertReady()
        await storeWatch.assertWritable()
        return context.json({ status: 'ready' })
      },
    },
  ]
}
