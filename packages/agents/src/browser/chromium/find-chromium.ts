import { existsSync } from 'node:fs'
import { join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the path of the system's browser: `CHROME_PATH`, or one of the usual paths. */
export function findChromium(env: Environment): string | undefined {
  const named = env['CHROME_PATH']
  return named !== undefined && named !== '' ? named : usualPaths(env).find(path => existsSync(path))
}

// Browsers in a snap are left out: they may not use the folders and pipes that they would get.
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
