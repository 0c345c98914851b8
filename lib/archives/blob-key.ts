/** Where a content lies in the store. */
export function blobKey(projectId: string, sha256: string): string {
  return `blobs/${projectId}/${sha256}`
}
