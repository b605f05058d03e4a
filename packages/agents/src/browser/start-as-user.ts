import { spawn } from 'node:child_process'
import { chownSync } from 'node:fs'

// This file is a program. Root starts it in place of a browser. It gives the browser's profile folder to another user and
// then runs the browser as that user. Playwright has no setting for that. Playwright talks to the browser over the file
// descriptors 3 and 4, so they are passed on.

const [uidText = '', gidText = '', program = '', ...args] = process.argv.slice(2)
const user = { uid: Number(uidText), gid: Number(gidText) }
const profile = args.find(arg => arg.startsWith('--user-data-dir='))?.slice('--user-data-dir='.length)
if (profile !== undefined) chownSync(profile, user.uid, user.gid)
const child = spawn(program, args, { ...user, stdio: ['inherit', 'inherit', 'inherit', 3, 4] })
child.once('error', error => {
  console.error(error.message)
  process.exit(1)
})
child.once('exit', code => process.exit(code ?? 1))
