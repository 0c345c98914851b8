/** A file of a job that a viewer reads from its download address. */
export interface ViewedFile {
  path: string
  bytes: number
  url: string
}
