/** The first thing that Tab reaches: past the navigation, to the page's `<main id="main">`. */
export function SkipLink() {
  return (
    <a
      href="#main"
      className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-1.5 font-medium text-on-accent text-sm focus:translate-y-0"
    >
      Skip to the content
    </a>
  )
}
