import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { Link } from '../ui/link'

/** The headings of the file are below those of the page. */
const components: Components = {
  h1: 'h3',
  h2: 'h4',
  h3: 'h5',
  h4: 'h6',
  h5: 'h6',
  // A page never loads pictures from other sites.
  img: ({ alt }) => <span className="text-subtle">[picture: {alt || 'no description'}]</span>,
  a: ({ href, children }) =>
    // A relative link would lead to a page of gpuq.
    href && /^https?:\/\//i.test(href) ? (
      <Link href={href} rel="noopener noreferrer nofollow">
        {children}
      </Link>
    ) : (
      <span>{children}</span>
    ),
}

const styles = [
  'flex flex-col gap-3 p-4 text-sm wrap-anywhere',
  '[&_:is(h3,h4,h5,h6)]:font-semibold [&_h3]:text-lg [&_h4]:text-base',
  '[&_ul]:list-disc [&_ul]:pl-5 [&_ol]:list-decimal [&_ol]:pl-5',
  '[&_table]:block [&_table]:overflow-x-auto [&_:is(th,td)]:border [&_:is(th,td)]:px-2 [&_:is(th,td)]:py-1 [&_th]:text-left',
  '[&_blockquote]:border-l-2 [&_blockquote]:pl-3 [&_blockquote]:text-muted',
  '[&_code]:font-mono [&_code]:text-xs [&_pre]:overflow-x-auto [&_pre]:rounded-md [&_pre]:border [&_pre]:p-3',
].join(' ')

/** Longer blocks and deeper lists would block the page: the parser needs a time that grows with their square. */
const [maxBlock, maxDepth] = [6000, 12]
const deep = new RegExp(`^(?:[ \\t]*(?:[>*+-]|\\d{1,9}[.)])){${maxDepth}}`, 'm')

/** Whether the text can be shown as a document without a delay. */
function isSimple(text: string): boolean {
  return !deep.test(text) && text.split(/\n\s*\n/).every((block) => block.length <= maxBlock)
}

/** Markdown without HTML: tags are shown as text. */
export function MarkdownText({ text }: { text: string }) {
  if (!isSimple(text))
    return (
      <div className="flex flex-col gap-2 p-3">
        <p className="text-muted text-sm">
          This text is not shown as a document, because a paragraph is very long or a list is very deep.
        </p>
        <pre className="wrap-anywhere whitespace-pre-wrap font-mono text-xs">{text}</pre>
      </div>
    )
  return (
    <div className={styles}>
      <Markdown remarkPlugins={[remarkGfm]} components={components}>
        {text}
      </Markdown>
    </div>
  )
}
