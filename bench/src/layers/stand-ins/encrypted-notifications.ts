import {
  channelOf,
  type encryptNotifications as encrypt,
} from '../../../../packages/store/src/postgres/notifications/encrypted-notifications.ts'

export { channelOf } from '../../../../packages/store/src/postgres/notifications/encrypted-notifications.ts'

/** All that Postgres takes. */
export const maxPlaintextBytes = 7_999

/** Leaves notifications as they are: they only say what has changed, and a wrong one costs only time. */
export const encryptNotifications: typeof encrypt = (plain, secret) => ({
  listen: (channel, hear) => plain.listen(channelOf(channel, secret), hear),
  send: notifications =>
    plain.send(
      notifications.map(({ channel, payload }) => ({ channel: channelOf(channel, secret), payload })),
    ),
  onReconnect: heal => plain.onReconnect(heal),
  check: () => plain.check(),
  close: () => plain.close(),
})
