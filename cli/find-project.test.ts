import { describe, expect, it } from 'vitest'
import { jobs } from './commands/jobs'
import { experiments } from './experiments/experiments'
import { fakeContext } from './testing/fake-context'

const forbidden = Response.json(
  {
    type: 'about:blank',
    title: 'Forbidden',
    status: 403,
    code: 'forbidden',
    detail: 'Only admins may do this.',
  },
  { status: 403 },
)

/** A server without jobs. @param projects its answers to requests for own projects and for those of all users. */
const contextOf = (projects: { own: Response; all: Response }) =>
  fakeContext(({ url }) => {
    const { pathname, searchParams } = new URL(url)
    if (pathname !== '/api/projects') return Response.json([])
    return (searchParams.get('all') === 'true' ? projects.all : projects.own).clone()
  })
const none = Response.json([])

describe('an empty list of a project', () => {
  const ask = {
    'gpuq jobs': (context: ReturnType<typeof contextOf>) =>
      jobs(context, [], { limit: 20, project: 'nosuch' }),
    'gpuq experiments': (context: ReturnType<typeof contextOf>) =>
      experiments(context, { limit: 20, project: 'nosuch' }),
  }

  it.each(Object.entries(ask))('%s says that the project does not exist', async (_, act) => {
    await expect(act(contextOf({ own: none, all: forbidden }))).rejects.toThrow(
      'There is no project "nosuch", or its owner has not shared it with you.',
    )
    await expect(act(contextOf({ own: none, all: none }))).rejects.toThrow('There is no project "nosuch"')
  })

  it.each(Object.entries(ask))('%s is empty with a token that may not list projects', async (_, act) => {
    const context = contextOf({ own: forbidden, all: forbidden })
    expect(await act(context)).toBe(0)
    expect(context.written.err).toMatch(/^No (jobs|experiments) found\./)
  })
})
