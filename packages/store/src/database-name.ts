/** The name of the database file in the data folder. */
export const databaseName = 'throughline.sqlite'
