import { readFileSync } from 'node:fs'

/** A user of this machine, by numbers. */
export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

/** What the user is on nearly every Linux, also where no file says so. */
const usualNobody: SystemUser = { uid: 65_534, gid: 65_534 }

/**
 * The user as whom the browser of a server that runs as root is started: `nobody`, who owns nothing. `undefined` when
 * the server is no root, or not on Linux: then the browser runs as the server does.
 */
export function browserUser(): SystemUser | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined
  try {
    return nobodyIn(readFileSync('/etc/passwd', 'utf8')) ?? usualNobody
  } catch {
    // A container without a list of users still has their numbers.
    return usualNobody
  }
}

function nobodyIn(passwd: string): SystemUser | undefined {
  const [, , uid, gid] = /^nobody:.*$/m.exec(passwd)?.[0].split(':') ?? []
  const user = { uid: Number(uid), gid: Number(gid) }
  return user.uid > 0 && user.gid > 0 ? user : undefined
}
