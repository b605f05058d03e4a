import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isRecordedReply, type RecordedRequest } from './recorded-messages.ts'

/** What the recorder writes, and the folder that it watches. */
export interface Recording {
  /** The traced folder: the disk. */
  readonly disk: string
  readonly trace: string
  /** When there is such a file, a process is killed where it begins its next sync. */
  readonly killFile: string
}

/** Starts processes whose writes are recorded. */
export interface Recorder {
  start(recording: Recording): RecordedProcess
}

/** Compiles the recorder into a folder. `program` is the recorded process. Throws when this machine has no compiler for it. */
export async function buildRecorder(folder: string, program: string): Promise<Recorder> {
  await mkdir(folder, { recursive: true })
  const source = fileURLToPath(new URL('./record-writes.c', import.meta.url))
  const library = `${folder}/record-writes.so`
  const words = ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl', '-lpthread']
  await promisify(execFile)('cc', words).catch(error => {
    throw new Error(`The scenario power-loss needs Linux and a C compiler named cc. ${error}`)
  })
  return { start: recording => new RecordedProcess(program, library, recording) }
}

/** A process that does what it is told, and whose writes are recorded. */
export class RecordedProcess {
  readonly #child: ChildProcess

  constructor(program: string, library: string, { disk, trace, killFile }: Recording) {
    this.#child = fork(program, {
      execArgv: ['--no-warnings'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: {
        ...process.env,
        LD_PRELOAD: library,
        THROUGHLINE_TRACED_FOLDER: disk,
        THROUGHLINE_TRACE: trace,
        THROUGHLINE_KILL_AT_SYNC: killFile,
        // The recorder sees calls of libc, and nothing that the kernel is given in a ring.
        UV_USE_IO_URING: '0',
      },
    })
  }

  /** Resolves to the address of the server, or to an empty text, when it is done. */
  async do(request: RecordedRequest): Promise<string> {
    this.#child.send(request)
    const [reply]: unknown[] = await once(this.#child, 'message')
    if (isRecordedReply(reply) && reply.type === 'done') return reply.url ?? ''
    throw new Error(`${JSON.stringify(request)} has failed: ${JSON.stringify(reply)}`)
  }

  /** Resolves when the process has ended. */
  async end(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit')
  }

  /** Kills the process in the middle of what it does. The disk keeps its power. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.end()
  }
}
