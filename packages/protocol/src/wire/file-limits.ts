/** How many files one message may have. */
export const maxFiles = 10

/** The largest file of a message, in bytes. */
export const maxFileBytes = 10 * 1024 * 1024

/** The largest text file, in bytes. A model reads it as text, and no model reads more than this. */
export const maxTextFileBytes = 1024 * 1024

/** All files of one message together, in bytes. */
export const maxFilesBytes = 20 * 1024 * 1024
