import { readFileSync } from 'node:fs'

/** A user of this machine. */
export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

/** The numbers of `nobody` on nearly every Linux. */
const usualNobody: SystemUser = { uid: 65_534, gid: 65_534 }

/**
 * Returns the user for the browser of a server that runs as root on Linux: `nobody`, who owns nothing. Returns `undefined`
 * for other servers: their browser runs as the same user as the server.
 */
export function browserUser(): SystemUser | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined
  try {
    return nobodyIn(readFileSync('/etc/passwd', 'utf8')) ?? usualNobody
  } catch {
    // A container may have no list of users. The numbers still work.
    return usualNobody
  }
}

function nobodyIn(passwd: string): SystemUser | undefined {
  const [, , uid, gid] = /^nobody:.*$/m.exec(passwd)?.[0].split(':') ?? []
  const user = { uid: Number(uid), gid: Number(gid) }
  return user.uid > 0 && user.gid > 0 ? user : undefined
}
