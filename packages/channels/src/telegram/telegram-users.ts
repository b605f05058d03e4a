import { ChannelError } from '../channel.ts'

/** Who may use a bot. */
export interface TelegramUsers {
  /** The ids of the users who may talk to the bot; `undefined`: everybody. */
  readonly allowUsers: ReadonlySet<string> | undefined
  /** The ids of the users who may approve tool calls. */
  readonly approvers: ReadonlySet<string>
}

interface UserLists {
  readonly allowUsers: readonly (number | string)[] | 'everybody'
  readonly approvers?: readonly (number | string)[] | undefined
}

/** Reads the two lists. Throws a `ChannelError` when one is missing or wrong: a mistake must not let anybody in. */
export function telegramUsers(lists: UserLists): TelegramUsers {
  // Nobody checks the types of a configuration. Without the list, it is missing here.
  const given: Partial<UserLists> = lists
  if (given.allowUsers === undefined) {
    throw refused(
      'allowUsers is missing. Write the ids of the users who may talk to the bot, as in allowUsers: [123456789]. ' +
        "For a bot that everybody may talk to, write allowUsers: 'everybody'",
    )
  }
  const allowUsers = lists.allowUsers === 'everybody' ? undefined : idsIn('allowUsers', lists.allowUsers)
  if (allowUsers?.size === 0) throw refused('allowUsers is empty, so nobody could talk to the bot')
  const approvers = idsIn('approvers', lists.approvers ?? [])
  const outsider = [...approvers].find(id => allowUsers?.has(id) === false)
  if (outsider === undefined) return { allowUsers, approvers }
  throw refused(`approvers has ${outsider}, who may not talk to the bot. Add that id to allowUsers, too`)
}

function idsIn(option: string, ids: readonly (number | string)[]): ReadonlySet<string> {
  const list: unknown = ids
  if (!Array.isArray(list)) throw refused(`${option} must be a list of user ids`)
  const wrong = ids.find(id => !/^[1-9]\d*$/.test(String(id)))
  // A name can be changed, and taken by somebody else.
  if (wrong !== undefined)
    throw refused(
      `${option} has ${JSON.stringify(wrong)}, which is no id of a user. An id is a number such as 123456789`,
    )
  return new Set(ids.map(String))
}

function refused(problem: string): ChannelError {
  return new ChannelError('refused', `telegramChannel: ${problem}. See docs/guides/telegram.md.`)
}
