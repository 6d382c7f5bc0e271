/** Tailwind, as Next's build runs it. */
export default { plugins: { '@tailwindcss/postcss': {} } }
