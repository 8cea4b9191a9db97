// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import { FileAnswer } from "./file-answer.ts";
import { type PageFiles, pageIndex } from "./page-files.ts";
import type { Answer, Route, RouteAccess, RouteRequest } from "./route.ts";

/** Where the page is served. */
export const pagePath = "/ui/";

/** Files of the build; a name there that is no file is one of another build, and no place of the page. */
const assetsPrefix = "assets/";

const access: RouteAccess = {
  kind: "public",
  because:
    "the files are the same for everybody and hold nothing of the fleet; what they show comes by calls that need a login",
};

/** Said in the page's place by a hub whose package was built without it. */
const noPage =
  "This hub was built without its page. Build it with `npm run build`, or look around from a terminal: flotilla cluster list.\n";

/** `/` and `/ui` lead to `/ui/`; what is below it is a file of the table, or the page itself (PG5). */
export function createPageRoutes(files: PageFiles | undefined): readonly Route[] {
  // 302, so that no browser goes on leading there when something else listens on this port.
  const lead = (path: string): Route => ({
    path,
    access,
    isQuiet: true,
    handler: () => ({ status: 302, location: pagePath }),
  });
  const serve: Route = {
    path: pagePath,
    match: "prefix",
    access,
    isQuiet: true,
    handler: (request) => answerPage(files, request),
  };
  return [lead("/"), lead(pagePath.slice(0, -1)), serve];
}

function answerPage(files: PageFiles | undefined, request: RouteRequest): Answer {
  if (files === undefined) return { status: 404, contentType: "text/plain; charset=utf-8", body: noPage };
  const name = request.path.slice(pagePath.length);
  const file = files.get(name);
  if (file !== undefined) return FileAnswer.of(file, request);
  const index = files.get(pageIndex);
  if (index === undefined || name.startsWith(assetsPrefix)) {
    throw new FlotillaError("NOT_FOUND", "the page has no such file; reload it if the hub was updated");
  }
  return FileAnswer.of(index, request);
}
