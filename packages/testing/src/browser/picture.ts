/** A real PNG: one red pixel. */
export const pictureBase64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

export const pictureBytes = new Uint8Array(Buffer.from(pictureBase64, 'base64'))
