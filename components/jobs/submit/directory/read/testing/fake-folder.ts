/** The content of files and folders by their names. */
export type Tree = { [name: string]: string | Uint8Array<ArrayBuffer> | Tree }

/**
 * A folder as the browser gives it for a drop: its children come in parts, the last one is empty.
 * @param opened gets the name of each folder whose children are listed.
 */
export function fakeFolder(name: string, tree: Tree, opened: string[] = []): FileSystemDirectoryEntry {
  const children = Object.entries(tree).map(([child, content]) =>
    isContent(content) ? fakeFile(child, content) : fakeFolder(child, content, opened),
  )
  const createReader = () => {
    opened.push(name)
    const parts = [children.slice(0, 2), children.slice(2), []]
    return { readEntries: (done: (part: unknown[]) => void) => done(parts.shift() ?? []) }
  }
  const getFile = (path: string, _: object, done: (entry: unknown) => void, fail: () => void) => {
    const found = contentAt(tree, path)
    if (found === undefined) fail()
    else done(fakeFile(path, found))
  }
  return {
    name,
    isFile: false,
    isDirectory: true,
    createReader,
    getFile,
  } as unknown as FileSystemDirectoryEntry
}

function fakeFile(name: string, content: string | Uint8Array<ArrayBuffer>): FileSystemFileEntry {
  const file = (done: (file: File) => void) => done(new File([content], name))
  return { name, isFile: true, isDirectory: false, file } as unknown as FileSystemFileEntry
}

/** The files of a tree by their paths. */
export function filesOfTree(
  tree: Tree,
  prefix = '',
): [path: string, content: string | Uint8Array<ArrayBuffer>][] {
  return Object.entries(tree).flatMap(([name, content]) =>
    isContent(content) ? [[prefix + name, content] as const] : filesOfTree(content, `${prefix}${name}/`),
  ) as [string, string | Uint8Array<ArrayBuffer>][]
}

function contentAt(tree: Tree, path: string): string | Uint8Array<ArrayBuffer> | undefined {
  return filesOfTree(tree).find(([found]) => found === path)?.[1]
}

function isContent(content: Tree[string]): content is string | Uint8Array<ArrayBuffer> {
  return typeof content === 'string' || content instanceof Uint8Array
}
