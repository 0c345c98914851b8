/** The key of a file content in the object store. */
export function blobKey(projectId: string, sha256: string): string {
  return `blobs/${projectId}/${sha256}`
}
