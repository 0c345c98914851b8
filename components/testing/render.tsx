import { cleanup, configure, fireEvent, render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeAll, beforeEach, vi } from 'vitest'
import type { ProblemExtensions } from '@/lib/contract/errors'
import { QueryProvider } from '../shell/query-provider'
import { confirmPanel } from '../ui/confirm-dialog'
import { dialogPanel } from '../ui/dialog'
import { menuParts } from '../ui/dropdown-menu'
import { selectList } from '../ui/select'
import { Toaster } from '../ui/toaster'

// Any step may be slow on a busy machine: the limit only ends a test that hangs.
configure({ asyncUtilTimeout: 30_000 })

/** A request that a component sent. */
export interface SentRequest {
  method: string
  path: string
  query: URLSearchParams
  body: unknown
}

type Answer = unknown | ((request: SentRequest) => unknown)

/** An HTTP error of the API. */
export class ApiProblem {
  constructor(
    readonly status: number,
    readonly problem: { detail: string; code: string } & ProblemExtensions,
  ) {}
}

let answers: Record<string, Answer> = {}
/** All requests of the current test. */
export let sentRequests: SentRequest[] = []

/** Sets the API's answers, as in `{ 'POST /api/tokens': token }`. */
export function answerWith(given: Record<string, Answer>): void {
  answers = { ...answers, ...given }
}

async function fakeFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(new URL(input instanceof Request ? input.url : input, location.origin), init)
  const { pathname, searchParams: query } = new URL(request.url)
  const text = await request.text()
  const isJson = request.headers.get('content-type')?.includes('json')
  const sent = {
    method: request.method,
    // A dry run is another request than the submission.
    path: query.has('dry_run') ? `${pathname}?dry_run=true` : pathname,
    query,
    body: isJson && text ? JSON.parse(text) : text,
  }
  sentRequests.push(sent)
  const answer = answers[`${sent.method} ${sent.path}`]
  const cancelled = new Promise<never>((_, reject) =>
    request.signal.addEventListener('abort', () => reject(request.signal.reason)),
  )
  const value = await Promise.race([typeof answer === 'function' ? answer(sent) : answer, cancelled])
  // For an answer with headers.
  if (value instanceof Response) return value
  if (value instanceof ApiProblem) return Response.json(value.problem, { status: value.status })
  if (value === undefined) throw new Error(`no answer for ${sent.method} ${pathname}`)
  return Response.json(value)
}

/** The server's event stream of a job. A test emits its events. */
export class FakeEventSource extends EventTarget {
  static readonly CLOSED = 2
  static latest: FakeEventSource | undefined
  readyState = 1

  constructor(readonly url: string) {
    super()
    FakeEventSource.latest = this
  }

  emit(type: string, data: string): void {
    this.dispatchEvent(new MessageEvent(type, { data }))
  }

  close(): void {
    this.readyState = FakeEventSource.CLOSED
  }
}

/** Browser features that jsdom lacks. */
function stubBrowser(): void {
  const observer = class {
    observe() {}
    unobserve() {}
    disconnect() {}
  }
  vi.stubGlobal('ResizeObserver', observer)
  // Everything is visible.
  const visible = class extends observer {
    constructor(readonly report: (entries: { isIntersecting: boolean }[]) => void) {
      super()
    }
    override observe() {
      this.report([{ isIntersecting: true }])
    }
  }
  vi.stubGlobal('IntersectionObserver', visible)
  vi.stubGlobal('EventSource', FakeEventSource)
  vi.stubGlobal('fetch', fakeFetch)
  const listeners = { addEventListener() {}, removeEventListener() {}, addListener() {}, removeListener() {} }
  vi.stubGlobal('matchMedia', () => ({ matches: false, ...listeners }))
  Element.prototype.scrollIntoView = () => {}
  Element.prototype.hasPointerCapture = () => false
  Object.defineProperty(document, 'fonts', {
    configurable: true,
    value: { ready: Promise.resolve(), load: async () => [] },
  })
  Range.prototype.getClientRects = () => document.createElement('i').getClientRects()
}

// Tests act on dialogs and menus at once. The browser tests cover loading them.
beforeAll(async () => {
  await Promise.all([confirmPanel, dialogPanel, menuParts, selectList].map((part) => part.load()))
})
beforeEach(() => {
  answers = {}
  sentRequests = []
  window.history.replaceState(null, '', '/')
  localStorage.clear()
  stubBrowser()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** Renders a component with the providers of the site. */
export function renderUi(ui: ReactNode) {
  return render(
    <QueryProvider>
      {ui}
      <Toaster />
    </QueryProvider>,
  )
}

export function clickButton(name: string | RegExp): void {
  fireEvent.click(screen.getByRole('button', { name }))
}

export function typeInto(label: string | RegExp, text: string): void {
  fireEvent.change(screen.getByLabelText(label), { target: { value: text } })
}

/** Opens a menu or a select by keyboard: jsdom has no pointer events. */
export function openByKeyboard(element: HTMLElement): void {
  element.focus()
  fireEvent.keyDown(element, { key: 'Enter' })
}
