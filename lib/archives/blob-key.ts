/** The key of a file content in the object store, which has it once per project, however many users have it. */
export function blobKey(projectId: string, sha256: string): string {
  return `blobs/${projectId}/${sha256}`
}
