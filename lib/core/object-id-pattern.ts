/** The form of record IDs. In a separate file, because browser code cannot load the code that creates IDs. */
export const OBJECT_ID = /^[0-9a-fA-F]{24}$/
