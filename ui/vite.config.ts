// SPDX-License-Identifier: Apache-2.0
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/**
 * The hub serves the result under /ui/ with a policy that forbids inline scripts and styles (docs/spec/page.md PG5).
 */
export default defineConfig({
  root: import.meta.dirname,
  base: "/ui/",
  plugins: [react()],
  worker: { format: "es" },
  build: {
    target: "es2023",
    outDir: "dist",
    emptyOutDir: true,
    // No data: URLs: the policy allows only files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
