const overview = `throughline: one ordered, durable stream from agent to screen

  throughline serve        run the server and its page
  throughline chat         talk to a server from the terminal
  throughline replay       print the log of a chat, with its times
  throughline backup       copy the data of a server, while it runs or not
  throughline compact      make the database of a stopped server smaller
  throughline renew        after a restore that leaves no trace: let viewers load their chats again
  throughline migrate      move the data of a stopped server to Postgres
  throughline conformance  check a running server, with the proxies before it
  throughline help         this text, or more about a command: throughline help chat`

const helpTexts: ReadonlyMap<string, string> = new Map([
  [
    'serve',
    `throughline serve

Runs the server and its page until it gets SIGINT, SIGTERM or SIGHUP. Settings come from the environment:

  PORT                   4000
  HOST                   127.0.0.1
  THROUGHLINE_DATA       the folder of its data, ./data
  DATABASE_URL           postgres://user:password@host:5432/database: a Postgres database in place of SQLite
  DATABASE_LISTEN_URL    the same database without a pooler, if DATABASE_URL leads to one
  THROUGHLINE_FILES      s3://bucket/prefix?endpoint=…&region=… for the files of chats; default: with the data
  THROUGHLINE_MODEL      for example anthropic:ID; without it, a scripted demo model
  THROUGHLINE_MODELS     openai:ID,anthropic:ID,…: more models that people may choose; none by default
  THROUGHLINE_TOKENS     user:token,…; needed to listen beyond this machine, unless the configuration has authenticate
  THROUGHLINE_TOKENS_FILE  a file with one user:token in a line, instead; read again when it changes
  THROUGHLINE_OPERATORS  alice,bob: who sees on the page how the server is doing; by default the only user
  THROUGHLINE_HOSTS      more host names of the server; requests to other names are refused
  THROUGHLINE_ORIGINS    other origins whose pages may use it, such as https://app.example
  THROUGHLINE_LOG        debug, info, warn, error or silent
  THROUGHLINE_LOG_FORMAT pretty or json; by default readable lines on a terminal, and lines of JSON elsewhere
  THROUGHLINE_DRAIN_SECONDS   how long requests are taken after the first signal; 5 with other nodes, 0 without
  THROUGHLINE_FINISH_SECONDS  how long responses that show one answer then stay open; 15 without it
  THROUGHLINE_METRICS    a port, or ADDRESS:PORT, at which Prometheus reads metrics; off without it

Secrets can be in files: OPENAI_API_KEY_FILE names the file with the value of OPENAI_API_KEY, and so on for other keys and for
DATABASE_URL.

Agents and tools come from throughline.config.ts, in the folder in which you start the server. A file .env in that folder
sets the variables that are not set yet.`,
  ],
  [
    'chat',
    `throughline chat [options] [MESSAGE...]

Talks to a server. With a MESSAGE, or with one on its standard input, sends this message, prints the answer and ends. The
exit code is 0 when the answer is complete, 130 after Ctrl-C, and 1 otherwise.

  --url URL        the address of the server; default: http://127.0.0.1:4000
  --chat ID        continue this chat, or begin one with this id
  --agent NAME     the agent that answers; user::NAME sends to a person, who replies in their own time
  --token TOKEN    your token; better in THROUGHLINE_TOKEN, where other users of the machine cannot see it

Ctrl-C stops an answer, and leaves when there is none. Ctrl-D leaves. /help lists the commands that you can type.
The output has no colours when it is not a terminal, and with NO_COLOR.`,
  ],
  [
    'replay',
    `throughline replay CHAT [options]

Prints the log of a chat: for each entry its time, the milliseconds since the one before, its number, whose message it
belongs to, and what it says. Deltas that follow each other are one line.

  --data FOLDER    the data folder of a server that is not running; default: the Postgres database of DATABASE_URL,
                   or THROUGHLINE_DATA, or ./data
  --owner OWNER    the owner of the chat in that folder; default: local
  --url URL        read from the server at this address instead
  --token TOKEN    your token for that server; better in THROUGHLINE_TOKEN
  --json           print every entry completely, as one line of JSON

A file .env in the folder in which you start it is read, as by serve.`,
  ],
  [
    'backup',
    `throughline backup FOLDER [options]

Copies the data of a server to a new folder, while the server runs or not: the database and the attached files. The copy has
everything that was saved before it ended. It appears when it is complete. To restore it, stop the server and start it on
a copy of that folder.

  --data FOLDER    the data folder; default: THROUGHLINE_DATA or ./data

While the server runs, it makes the backup itself. So run this command on the same machine and as the same user, and name a
folder that the server may write. Files in a bucket and data in Postgres are not copied: back them up with their own tools.
A file .env in the folder in which you start it is read, as by serve. The exit code is 0 when it is done, and 1 otherwise.`,
  ],
  [
    'compact',
    `throughline compact [options]

Makes the database of a server that is not running as small as it can be, and prints its sizes before and after. Nothing is
lost, even if it is interrupted. While it works, the disk needs room for two copies of the contents. A database of an
earlier version is migrated, and from then on gives the room of deleted chats back by itself.

  --data FOLDER    the data folder; default: THROUGHLINE_DATA or ./data
  --dry-run        only print the sizes, and change nothing

A file .env in the folder in which you start it is read, as by serve. The exit code is 0 when it is done, and 1 otherwise.`,
  ],
  [
    'renew',
    `throughline renew [options]

Gives the logs of all chats new positions, so that viewers load their chats again. Run it after the data was restored in a way
that leaves no trace, and before you start a server on it: from a snapshot of a disk or of a virtual machine, or from a copy of
a Postgres cluster that was not recovered. Who had seen entries that are lost would otherwise get new ones in their place.
After all other ways to restore, the server notices it by itself. Running it too often does no harm.

  --data FOLDER    the data folder; default: the Postgres database of DATABASE_URL, or THROUGHLINE_DATA, or ./data

A file .env in the folder in which you start it is read, as by serve. The exit code is 0 when it is done, and 1 otherwise.`,
  ],
  [
    'migrate',
    `throughline migrate --to URL [options]

Moves the data of a server that is not running from its folder to a Postgres database: chats, messages, runs, approvals,
agents that users have defined, channels, logs and files. The numbers of entries stay the same, so viewers go on where they
were. At the end every row, every entry and every file is compared. The data in the folder is not changed.

  --to URL         an empty database: postgres://user:password@host/database; better in DATABASE_URL, where other users
                   of the machine cannot see it
  --data FOLDER    the data folder; default: THROUGHLINE_DATA or ./data

If THROUGHLINE_FILES names a bucket, the contents of files go there, and otherwise into the database. If the command is
interrupted, run it again: it deletes what it wrote and begins anew. Until it is done, no server starts on the database. A
file .env in the folder in which you start it is read, as by serve. The exit code is 0 when everything is moved and equal,
and 1 otherwise.`,
  ],
  [
    'conformance',
    `throughline conformance URL [options]

Checks a running server from outside, through all proxies before it: the order of entries, resuming at every position,
sending twice, stopping, heartbeats, buffering, and who may see what. It asks an agent two short questions, in chats of its
own, and deletes these chats at the end, also after Ctrl-C.

  --token TOKEN        your token; better in THROUGHLINE_TOKEN
  --other-token TOKEN  the token of another user, who must not see your chats; better in THROUGHLINE_OTHER_TOKEN
  --agent NAME         the agent to ask; default: the server's first one
  --message TEXT       what to ask; an answer of some seconds is best
  --only NAME          one check, such as resume/log, or one group, such as resume, with what it needs
  --quick              leave out the check that waits for a heartbeat, up to 30 seconds
  --timeout SECONDS    how long something that the server has may take to arrive; default: 10
  --json               print the results as JSON

✓ passed, ✗ failed, – not checked. The exit code is 0 when no check failed, 1 when one failed, 2 when the server cannot be
reached, and 130 after Ctrl-C.`,
  ],
])

/** Returns the help text of a command, or the overview; `undefined` when there is no such command. */
export function helpOn(command: string | undefined): string | undefined {
  return command === undefined ? overview : helpTexts.get(command)
}
