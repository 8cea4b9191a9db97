// SPDX-License-Identifier: Apache-2.0
// `npm run requirements`: writes docs/reference/requirements.md and prints the counts of cited and open ids.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./project.ts";
import { readCitations, readSections } from "./read-requirements.ts";
import { countSections, renderRequirementsPage } from "./requirements-page.ts";

const path = "docs/reference/requirements.md";
const sections = readSections();
const citations = readCitations();
mkdirSync(dirname(join(root, path)), { recursive: true });
writeFileSync(join(root, path), renderRequirementsPage(sections, citations));
for (const { title, citedCount, shownCount, openCount, laterCount } of countSections(sections, citations)) {
  const later = laterCount === 0 ? "" : ` (${laterCount} may come later)`;
  const counts = [citedCount, shownCount, openCount].map((count) => String(count).padStart(4));
  console.log(`${counts[0]} cited, ${counts[1]} by a test of the running system, ${counts[2]} open${later}  ${title}`);
}
console.log(`written: ${path}`);
