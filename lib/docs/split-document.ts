import GithubSlugger from 'github-slugger'

export interface Heading {
  /** 2, 3 or 4. */
  level: number
  text: string
  /** The anchor, which equals that of a Git host. */
  id: string
}

export interface Section {
  /** The heading of the second level; null for the text before the first one. */
  heading: Heading | null
  /** All headings of the section in their order, with its own. */
  headings: readonly Heading[]
  /** The Markdown below the section's own heading. */
  markdown: string
}

export interface SplitDocument {
  /** The heading of the first level. */
  title: string
  sections: readonly Section[]
}

interface OpenSection {
  heading: Heading | null
  headings: Heading[]
  lines: string[]
}

/**
 * Splits a Markdown file at its headings of the second level. It reads headings that start with `#`, as in all files of
 * `docs/`, and skips fenced code.
 */
export function splitDocument(text: string): SplitDocument {
  const slugger = new GithubSlugger()
  const sections: OpenSection[] = []
  const open = (heading: Heading | null) => {
    const section: OpenSection = { heading, headings: heading ? [heading] : [], lines: [] }
    sections.push(section)
    return section
  }
  let title = ''
  let section = open(null)
  let fence: string | undefined
  for (const line of text.split('\n')) {
    const [, marks, inner = ''] = (fence === undefined && /^(#{1,4}) +(.+)$/.exec(line)) || []
    fence = fenceAfter(line, fence)
    if (marks === undefined) {
      section.lines.push(line)
      continue
    }
    const heading = { level: marks.length, text: toPlainText(inner), id: slugger.slug(toPlainText(inner)) }
    if (heading.level === 1) title = heading.text
    else if (heading.level === 2) section = open(heading)
    else {
      section.headings.push(heading)
      section.lines.push(line)
    }
  }
  return {
    title,
    sections: sections.map(({ heading, headings, lines }) => ({
      heading,
      headings,
      markdown: lines.join('\n').trim(),
    })),
  }
}

/** The fence of the code block that is open after a line; undefined: none. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  const [, mark] = /^\s*(```+|~~~+)/.exec(line) ?? []
  if (mark === undefined) return open
  if (open === undefined) return mark
  return mark.startsWith(open) ? undefined : open
}

/** The text of Markdown without its marks: for headings and for the search. */
export function toPlainText(markdown: string): string {
  return markdown
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^\s*(```+|~~~+).*$/gm, '')
    .replaceAll(/^\|[\s:|-]+\|$/gm, '')
    .replaceAll(/\*\*|`/g, '')
    .replaceAll(/^#+ +/gm, '')
    .replaceAll(/\s*\|\s*/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
