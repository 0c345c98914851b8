import { Link2 } from 'lucide-react'
import Image from 'next/image'
import type { ReactNode } from 'react'
import Markdown, { type Components, type ExtraProps } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { CodeBlock } from '../ui/code-block'
import { Link } from '../ui/link'
import { setHeadingIds } from './set-heading-ids'
import { TableRegion } from './table-region'

/** A picture in the light or dark theme. */
export interface DocumentPicture {
  light: string
  /** The same picture for the dark theme, if there is one. */
  dark?: string
  width: number
  height: number
}

interface DocumentTextProps {
  markdown: string
  /** The ids of the headings in the text, in their order. */
  headingIds: readonly string[]
  /** How many levels higher the headings are than in the file. */
  raised: 0 | 1
  /** The address of a link, or the file that the server does not show. */
  resolveLink: (link: string) => { href: string } | { file: string }
  findPicture: (source: string) => DocumentPicture | undefined
  /** The server's address, which replaces `$SERVER` in commands. */
  origin: string
}

const styles = [
  'flex flex-col gap-4 text-base text-ink leading-6 wrap-anywhere',
  '[&_ul]:flex [&_ul]:list-disc [&_ul]:flex-col [&_ul]:gap-1.5 [&_ul]:pl-5',
  '[&_ol]:flex [&_ol]:list-decimal [&_ol]:flex-col [&_ol]:gap-1.5 [&_ol]:pl-5',
  '[&_blockquote]:border-l-2 [&_blockquote]:pl-3 [&_blockquote]:text-muted',
  '[&_:is(p,li,td,th)_code]:rounded-sm [&_:is(p,li,td,th)_code]:bg-sunken [&_:is(p,li,td,th)_code]:px-1',
  '[&_code]:font-mono [&_code]:text-sm [&_figure_code]:text-xs',
].join(' ')

/** A part of a document. The text comes with this version of gpuq, and HTML in it is not shown. */
export function DocumentText(props: DocumentTextProps) {
  const { markdown, headingIds, raised } = props
  return (
    <div className={styles}>
      <Markdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[[setHeadingIds, headingIds]]}
        components={toComponents(props, raised)}
      >
        {markdown}
      </Markdown>
    </div>
  )
}

function toComponents(
  { resolveLink, findPicture, origin }: DocumentTextProps,
  raised: DocumentTextProps['raised'],
): Components {
  const heading = (level: 2 | 3 | 4) => (props: { id?: string; children?: ReactNode }) => (
    <AnchoredHeading level={level} id={props.id ?? ''}>
      {props.children}
    </AnchoredHeading>
  )
  return {
    h3: raised ? heading(2) : heading(3),
    h4: raised ? heading(3) : heading(4),
    a: ({ href = '', children }) => {
      const target = resolveLink(href)
      if ('href' in target) return <Link href={target.href}>{children}</Link>
      return (
        <>
          {children} (<code>{target.file}</code> in the source code)
        </>
      )
    },
    img: ({ src, alt = '' }) => {
      const picture = typeof src === 'string' ? findPicture(src) : undefined
      return picture ? <ThemedPicture picture={picture} alt={alt} /> : <em>{alt}</em>
    },
    pre: ({ node }) => <FencedCode node={node} origin={origin} />,
    // Words are not broken in cells, or narrow columns would have one letter in each line. A group is no landmark: a page has many tables.
    table: ({ children }) => (
      <TableRegion role="group" aria-label="Table">
        {children}
      </TableRegion>
    ),
    th: ({ children }) => (
      <th className="wrap-break-word border-b bg-sunken px-3 py-2 font-medium">{children}</th>
    ),
    td: ({ children }) => <td className="wrap-break-word border-b px-3 py-2 align-top">{children}</td>,
  }
}

const headingSizes = { 2: 'mt-4 text-xl', 3: 'mt-2 text-lg', 4: 'text-base' } as const

interface AnchoredHeadingProps {
  level: 2 | 3 | 4
  id: string
  children: ReactNode
}

/** A heading with a link to itself, to copy. */
export function AnchoredHeading({ level, id, children }: AnchoredHeadingProps) {
  const Tag = `h${level}` as const
  return (
    <Tag
      id={id}
      className={`group flex scroll-mt-20 items-center gap-1.5 font-semibold tracking-tight lg:scroll-mt-6 ${headingSizes[level]}`}
    >
      <span className="min-w-0">{children}</span>
      <a
        href={`#${id}`}
        aria-label={`Link to the section ${id.replaceAll('-', ' ')}`}
        className="grid size-6 shrink-0 place-items-center rounded-sm text-subtle opacity-0 hover:text-accent-ink focus-visible:opacity-100 group-hover:opacity-100"
      >
        <Link2 aria-hidden className="size-4" />
      </a>
    </Tag>
  )
}

function FencedCode({ node, origin }: ExtraProps & { origin: string }) {
  const code = node?.children.find((child) => child.type === 'element')
  if (code?.type !== 'element') return null
  const written = code.children.map((child) => (child.type === 'text' ? child.value : '')).join('')
  const [, language = 'text'] = /^language-(\S+)$/.exec(String(code.properties.className ?? '')) ?? []
  const text = written.replaceAll(/\$SERVER\b/g, origin).trimEnd()
  return <CodeBlock label={`${language} example`} title={language} code={text} />
}

/** Both are loaded when they come into view, so the hidden one is never loaded. */
function ThemedPicture({ picture, alt }: { picture: DocumentPicture; alt: string }) {
  const { light, dark, width, height } = picture
  // The plots have a light background.
  const frame = 'h-auto w-full max-w-3xl rounded-lg border bg-white'
  return (
    <>
      <Image
        {...{ width, height, alt }}
        src={light}
        unoptimized
        className={dark ? `${frame} dark:hidden` : frame}
      />
      {dark ? (
        <Image {...{ width, height, alt }} src={dark} unoptimized className={`${frame} hidden dark:block`} />
      ) : null}
    </>
  )
}
