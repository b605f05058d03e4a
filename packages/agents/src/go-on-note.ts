/** What a model reads when its answer was cut in the middle of a text, because the process died. */
export const goOnNote =
  '[This is a note of the server, not of the user. The connection broke while you wrote the answer above. The user has ' +
  'read all of it. Go on exactly where it ends, even in the middle of a sentence. Repeat nothing, and do not mention this note.]'
