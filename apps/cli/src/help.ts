const overview = `throughline: one ordered, durable stream from agent to screen

  throughline serve     run the server and its page
  throughline chat      talk to a server from the terminal
  throughline replay    print the log of a chat, with its times
  throughline help      this text, or more about a command: throughline help chat`

const helpTexts: ReadonlyMap<string, string> = new Map([
  [
    'serve',
    `throughline serve

Runs the server and its page until it gets SIGINT or SIGTERM. Settings come from the environment:

  PORT                 4000
  HOST                 127.0.0.1
  THROUGHLINE_DATA     the folder of its data, ./data
  THROUGHLINE_MODEL    for example anthropic:ID; without it, a scripted demo model
  THROUGHLINE_TOKENS   user:token,…; needed to listen beyond this machine
  THROUGHLINE_HOSTS    more names under which the server may be addressed
  THROUGHLINE_ORIGINS  other origins whose pages may use it, such as https://app.example
  THROUGHLINE_LOG      debug, info, warn, error or silent

Agents and tools come from throughline.config.ts in the folder it is started in.`,
  ],
  [
    'chat',
    `throughline chat [options] [MESSAGE...]

Talks to a server. With a MESSAGE, or with one on its standard input, sends this message, prints the answer and ends. The
exit code is 0 when the answer is complete, and 1 when it is not.

  --url URL        the server, http://127.0.0.1:4000
  --chat ID        go on with this chat, or begin one with this id
  --agent NAME     who is to answer; user::NAME for a person, who answers in their own time
  --token TOKEN    who you are; better in THROUGHLINE_TOKEN, where nobody else sees it

Ctrl-C stops an answer, and leaves when there is none. Ctrl-D leaves. /help lists what can be typed.
Colours are left out when the output is no terminal, and with NO_COLOR.`,
  ],
  [
    'replay',
    `throughline replay CHAT [options]

Prints the log of a chat: for each entry its time, the milliseconds since the one before, its number, whose message it
belongs to, and what it says. Deltas that follow each other are one line.

  --data FOLDER    from the data of a server that does not run; THROUGHLINE_DATA or ./data
  --owner OWNER    whose chat it is, in that folder; local
  --url URL        from a server instead
  --token TOKEN    who you are to that server; better in THROUGHLINE_TOKEN
  --json           every entry as a line of JSON, complete`,
  ],
])

/** Returns the help text of a command, or the overview; `undefined` when there is no such command. */
export function helpOn(command: string | undefined): string | undefined {
  return command === undefined ? overview : helpTexts.get(command)
}
