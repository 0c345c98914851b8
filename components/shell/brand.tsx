import NextLink from 'next/link'

/** The logo and the name, linked to the start page. */
export function Brand({ href = '/jobs' }: { href?: string }) {
  return (
    <NextLink
      href={href}
      className="flex min-h-6 items-center gap-2 rounded-md font-semibold text-base text-ink tracking-tight"
    >
      <Logo />
      gpuq
    </NextLink>
  )
}

/** Jobs of different lengths in a queue. */
function Logo() {
  return (
    <svg aria-hidden viewBox="0 0 32 32" className="size-5">
      <rect width="32" height="32" rx="7" className="fill-accent" />
      <g className="fill-on-accent">
        <rect x="7" y="8" width="18" height="4" rx="1.5" />
        <rect x="7" y="14" width="12" height="4" rx="1.5" opacity=".75" />
        <rect x="7" y="20" width="7" height="4" rx="1.5" opacity=".5" />
      </g>
    </svg>
  )
}
