/**
 * Decides how to get a Docker engine. A pure function from facts to one action, so that every case can be
 * tested.
 */

/**
 * @typedef {object} Probe
 * @property {string} host as in DOCKER_HOST
 * @property {'answers' | 'absent' | 'denied' | 'silent'} state
 * @property {string} [version]
 *
 * @typedef {object} Facts
 * @property {NodeJS.Platform} platform
 * @property {boolean} root
 * @property {string | undefined} dockerHost the variable, when it is set
 * @property {Probe[]} probes in order of preference
 * @property {string} osRelease the text of /etc/os-release, or nothing
 * @property {boolean} systemd whether systemd runs this machine
 * @property {string[]} missing which of the programs an engine needs are not installed
 *
 * @typedef {(
 *   | { action: 'use', host: string, version: string }
 *   | { action: 'start', host: string, install: boolean, service: boolean }
 *   | { action: 'refuse', message: string }
 * )} Choice
 */

export const defaultHost = 'unix:///var/run/docker.sock'

/**
 * Whether packages come from apt: Debian, Ubuntu and their derivatives.
 * @param {string} osRelease
 */
export function isDebian(osRelease) {
  const ids = [...osRelease.matchAll(/^ID(?:_LIKE)?=(.*)$/gm)].flatMap((match) =>
    (match[1] ?? '').replace(/["']/g, '').split(/\s+/),
  )
  return ids.includes('debian') || ids.includes('ubuntu')
}

/**
 * @param {Facts} facts
 * @returns {Choice}
 */
export function chooseEngine(facts) {
  const answering = facts.probes.find((probe) => probe.state === 'answers')
  if (answering) return { action: 'use', host: answering.host, version: answering.version ?? '' }
  const host = facts.dockerHost ?? defaultHost
  const refusal = findObstacle(facts, host)
  if (refusal) return { action: 'refuse', message: explainRefusal(refusal) }
  const service = facts.systemd && facts.dockerHost === undefined
  return { action: 'start', host, install: facts.missing.length > 0, service }
}

/**
 * @param {Facts} facts
 * @param {string} host
 * @returns {{ problem: string, steps: string[] } | null}
 */
function findObstacle(facts, host) {
  if (!host.startsWith('unix://')) {
    return {
      problem: `DOCKER_HOST is ${host}, but no engine answers there.`,
      steps: ['Start that engine, or unset DOCKER_HOST to use an engine on this machine.'],
    }
  }
  if (facts.platform === 'darwin' || facts.platform === 'win32') {
    return {
      problem: 'No Docker engine is running on this machine.',
      steps: [
        'Install Docker Desktop (https://docs.docker.com/get-docker/) and start it.',
        'Wait until it reports that the engine is running.',
        ...(facts.platform === 'win32' ? ['Run gpuq inside WSL 2 (Ubuntu): run npm start there.'] : []),
      ],
    }
  }
  const denied = facts.probes.find((probe) => probe.state === 'denied')
  if (denied) {
    return {
      problem: `You do not have permission to use the Docker engine at ${denied.host}.`,
      steps: [
        'Add your user to its group, then log out and in again:',
        '  sudo usermod -aG docker "$USER"',
        'Or run "newgrp docker" to apply the group to the current shell.',
      ],
    }
  }
  if (!facts.root) return obstacleForUser(facts)
  if (facts.missing.length > 0 && !isDebian(facts.osRelease)) {
    return {
      problem: `No Docker engine is running. gpuq can install one only on Debian and Ubuntu (missing: ${facts.missing.join(', ')}).`,
      steps: [
        'Install Docker with the packages of your system, then start it:',
        '  Fedora, RHEL:  dnf install moby-engine && systemctl enable --now docker',
        '  Arch:          pacman -S docker && systemctl enable --now docker',
        '  Alpine:        apk add docker && rc-service docker start',
        '  others:        https://docs.docker.com/engine/install/',
      ],
    }
  }
  return null
}

/** @param {Facts} facts */
function obstacleForUser(facts) {
  const debian = isDebian(facts.osRelease)
  const install = debian
    ? '  sudo apt-get update && sudo apt-get install -y docker.io iptables mmdebstrap'
    : '  install Docker for your system: https://docs.docker.com/engine/install/'
  return {
    problem: 'No Docker engine is running on this machine. gpuq needs root to start one.',
    steps: [
      'Run once as root:',
      ...(facts.missing.length > 0 ? [install] : []),
      facts.systemd
        ? '  sudo systemctl enable --now docker'
        : '  sudo sh -c "setsid dockerd >/var/log/dockerd.log 2>&1 &"',
      '  sudo usermod -aG docker "$USER"    (then log out and in again)',
      'Or use rootless Docker: https://docs.docker.com/engine/security/rootless/',
    ],
  }
}

/** @param {{ problem: string, steps: string[] }} refusal */
function explainRefusal({ problem, steps }) {
  return [
    problem,
    'gpuq runs every job in a container, so it needs a Docker engine (20.10 or later).',
    '',
    ...steps.map((step) => `  ${step}`),
    '',
    "Or set DOCKER_HOST to an engine that can access this machine's files. Then run the command again.",
  ].join('\n')
}
