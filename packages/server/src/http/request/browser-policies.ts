/**
 * A page runs only its own scripts, and sends requests only to this server. So what a model writes cannot make the page
 * do anything else.
 *
 * - Pictures of the server are loaded with the owner's token, and shown as `blob:`. `data:` has no address to send
 *   anything to.
 * - An iframe shows a page that the person chose to open, so it may be of any site.
 * - Inline style is allowed here, because pages of other people may need it. Throughline's own page forbids it by a
 *   policy of its own: see apps/console/own-policy.ts.
 *
 * Why each directive: docs/decisions/0023-content-security-policy.md.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  'frame-src http: https:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** What the page and the sites that it shows may never ask the browser for. */
const noFeatures = [
  'accelerometer',
  'browsing-topics',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
  .map(name => `${name}=()`)
  .join(', ')

const everywhere = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

/** The headers of the page and of its files. They tell the browser what the page may do. */
export const pageHeaders = {
  ...everywhere,
  'content-security-policy': pagePolicy,
  'permissions-policy': noFeatures,
}

/**
 * The headers of a page below `/sandbox/`. The page shows it in an iframe without an origin. It runs the script that is in
 * it, and scripts that the page hands to it. It can neither load nor send anything, whatever happens in it.
 */
export const sandboxHeaders = {
  ...pageHeaders,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'unsafe-inline' blob:",
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts',
  ].join('; '),
}

/** The headers of every other response, errors too. If a browser shows it as a page, that page can do nothing. */
export const dataHeaders = {
  ...everywhere,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}
