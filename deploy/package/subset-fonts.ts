import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'

const root = join(import.meta.dirname, '..', '..')
const fonts = join(root, 'node_modules', 'geist', 'dist', 'fonts')
const target = join(root, 'app', 'fonts')

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)).join('')

/** Latin with its accents, punctuation, and the symbols of the pages. The browser shows other characters in its own font. */
const latin = `${range(0x20, 0x7e)}${range(0xa0, 0x17f)}${range(0x2010, 0x205e)}€™−×←↑→↓↗⌘⌥⇧⏎✓≤≥≈`
/** Also the boxes and blocks of tables and progress bars in output. */
const output = `${latin}${range(0x2500, 0x259f)}`

/** What each file of a font has. */
export const subsets = [
  { file: 'geist-sans.woff2', source: join(fonts, 'geist-sans', 'Geist-Variable.woff2'), text: latin },
  { file: 'geist-mono.woff2', source: join(fonts, 'geist-mono', 'GeistMono-Variable.woff2'), text: output },
]

/** Returns the characters of a subset in the weights that the pages have. */
export async function subsetOf({ source, text }: (typeof subsets)[number]): Promise<Buffer> {
  const axes = { wght: { min: 400, max: 700 } }
  return subsetFont(await readFile(source), text, { targetFormat: 'woff2', variationAxes: axes })
}

async function writeSubsets(): Promise<void> {
  await mkdir(target, { recursive: true })
  for (const subset of subsets) await writeFile(join(target, subset.file), await subsetOf(subset))
  await copyFile(join(dirname(dirname(fonts)), 'LICENSE.txt'), join(target, 'LICENSE.txt'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeSubsets()
