import type { Plugin } from 'vite'

/**
 * The page obeys this policy in addition to that of the server, which also serves pages of other people.
 *
 * - No inline style. React sets styles through the DOM, which is allowed.
 * - Text never becomes HTML or script: `innerHTML` and the like throw. One policy may be created, which lets only the
 *   names of HTML entities through: see src/markdown/in-browser/entities.ts.
 */
const policy = "style-src 'self'; require-trusted-types-for 'script'; trusted-types throughline-entities"

/** Writes the policy into the built page. Vite's development server needs inline style, so it has none. */
export function ownPolicy(): Plugin {
  return {
    name: 'own-policy',
    apply: 'build',
    transformIndexHtml: () => [
      {
        tag: 'meta',
        attrs: { 'http-equiv': 'Content-Security-Policy', content: policy },
        // Before everything that it is about.
        injectTo: 'head-prepend',
      },
    ],
  }
}
