/** Files that are images by their names. The server decides by the content. */
export const imageExtensions = ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif'] as const

/** Larger images are not shown. */
export const maxImageBytes = 16 << 20

const imageName = new RegExp(`\\.(?:${imageExtensions.join('|')})$`, 'i')

export function isImageName(path: string): boolean {
  return imageName.test(path)
}
