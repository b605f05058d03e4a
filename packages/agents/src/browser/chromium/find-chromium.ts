import { existsSync } from 'node:fs'
import { join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** The browser of this system: what `CHROME_PATH` names, or one that stands where they are installed. */
export function findChromium(env: Environment): string | undefined {
  const named = env['CHROME_PATH']
  return named !== undefined && named !== '' ? named : usualPaths(env).find(path => existsSync(path))
}

// A browser in a snap is not among them: it may not use the folders and pipes it would be given.
function usualPaths(env: Environment): readonly string[] {
  switch (process.platform) {
    case 'linux':
      return [
        '/usr/bin/google-chrome-stable',
        '/usr/bin/google-chrome',
        '/opt/google/chrome/chrome',
        '/usr/lib/chromium/chromium',
        '/usr/lib64/chromium-browser/chromium-browser',
        '/usr/bin/microsoft-edge',
      ]
    case 'darwin':
      return [
        '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
        '/Applications/Chromium.app/Contents/MacOS/Chromium',
        '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
      ]
    case 'win32':
      return ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap(name => {
        const folder = env[name]
        if (folder === undefined) return []
        return [
          join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe'),
          join(folder, 'Microsoft', 'Edge', 'Application', 'msedge.exe'),
        ]
      })
    default:
      return []
  }
}
