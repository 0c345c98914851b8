import { describe, expect, it } from 'vitest'
import { chooseEngine, defaultHost, isDebian } from './engine-choice.mjs'

const debian = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n'
const fedora = 'NAME="Fedora Linux"\nID=fedora\n'

type Facts = Parameters<typeof chooseEngine>[0]

function facts(changes: Partial<Facts> = {}): Facts {
  return {
    platform: 'linux',
    root: true,
    dockerHost: undefined,
    probes: [{ host: defaultHost, state: 'absent' }],
    osRelease: debian,
    systemd: false,
    missing: [],
    ...changes,
  }
}

function refusal(changes: Partial<Facts>): string {
  const choice = chooseEngine(facts(changes))
  return choice.action === 'refuse' ? choice.message : `not refused: ${choice.action}`
}

describe('which engine', () => {
  it('uses the first engine that answers, with or without root', () => {
    const probes: Facts['probes'] = [
      { host: defaultHost, state: 'denied' },
      { host: 'unix:///run/user/1000/docker.sock', state: 'answers', version: '29.5.0' },
    ]
    expect(chooseEngine(facts({ root: false, probes }))).toEqual({
      action: 'use',
      host: 'unix:///run/user/1000/docker.sock',
      version: '29.5.0',
    })
  })

  it('starts an engine as root, and installs it first on Debian if it is missing', () => {
    expect(chooseEngine(facts())).toEqual({
      action: 'start',
      host: defaultHost,
      install: false,
      service: false,
    })
    expect(chooseEngine(facts({ missing: ['dockerd'] }))).toMatchObject({ action: 'start', install: true })
  })

  it('lets systemd start the engine, except on a custom socket', () => {
    expect(chooseEngine(facts({ systemd: true }))).toMatchObject({ service: true })
    const dockerHost = 'unix:///tmp/x.sock'
    expect(chooseEngine(facts({ systemd: true, dockerHost }))).toMatchObject({
      host: dockerHost,
      service: false,
    })
  })

  it('starts an installed engine on any distribution', () => {
    expect(chooseEngine(facts({ osRelease: fedora }))).toMatchObject({ action: 'start', install: false })
  })
})

describe('instructions if no engine is available', () => {
  it.each<[string, Partial<Facts>, RegExp]>([
    ['not root', { root: false, missing: ['dockerd'] }, /sudo apt-get install|sudo apt-get update/],
    ['not root, installed', { root: false, systemd: true }, /sudo systemctl enable --now docker/],
    ['not root, not Debian', { root: false, osRelease: fedora, missing: ['dockerd'] }, /engine\/install/],
    ['root, not Debian', { osRelease: fedora, missing: ['dockerd'] }, /dnf install/],
    ['macOS', { platform: 'darwin', root: false }, /Docker Desktop/],
    ['Windows', { platform: 'win32', root: false }, /WSL 2/],
    [
      'no permission for the socket',
      { root: false, probes: [{ host: defaultHost, state: 'denied' }] },
      /usermod -aG docker/,
    ],
    ['a remote engine', { dockerHost: 'tcp://gpu-box:2375', probes: [] }, /tcp:\/\/gpu-box:2375/],
  ])('%s', (_, changes, expected) => {
    const message = refusal(changes)
    expect(message).toMatch(expected)
    expect(message.split('\n').length).toBeLessThan(24)
    expect(Math.max(...message.split('\n').map((line) => line.length))).toBeLessThan(120)
  })
})

describe('Debian and its derivatives', () => {
  it.each([
    [debian, true],
    ['ID=ubuntu\nID_LIKE=debian\n', true],
    ['ID=linuxmint\nID_LIKE="ubuntu debian"\n', true],
    [fedora, false],
    ['', false],
  ])('%j: %s', (osRelease, expected) => expect(isDebian(osRelease)).toBe(expected))
})
