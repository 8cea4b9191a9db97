// SPDX-License-Identifier: Apache-2.0
// The image as it is published: built whole, checked by a program that is not ours, pushed to a registry on loopback,
// and run with nothing of this machine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { loadBasePackages, type PackageSource } from "../../scripts/image/base-packages.ts";
import { buildImage, imageNameOf, readImageFacts, writeImage } from "../../scripts/image/build-image.ts";
import { readElf } from "../../scripts/image/elf.ts";
import { ImageError } from "../../scripts/image/image-error.ts";
import { createImage, type Image, type PlatformImage } from "../../scripts/image/oci-image.ts";
import { parsePushTarget, pushImage } from "../../scripts/image/push-image.ts";
import { readTar, type TarEntry } from "../../scripts/image/tar.ts";
import { root as projectRoot } from "../../scripts/project.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { findRegistry, judge, openRegistry } from "./go-registry.ts";
import { ImageRoot, whyNoNamespaces } from "./image-root.ts";

/**
 * The first build fetches two Nodes and compresses them, and Go compiles the registry: minutes, all kept in the user's
 * cache.
 */
const buildLimitMs = 600_000;

const folder = openTempFolder();
const out = join(folder.path, "image");
const source: PackageSource = { env: process.env, say: () => undefined };
const facts = { ...readImageFacts(process.env), revision: "0123", createdSeconds: 1_700_000_000 };
const name = imageNameOf(facts);

let image: Image;
/** Why there is no image: what it is made of is neither on this machine nor to be fetched. */
let missing: string | undefined;
let registry: Awaited<ReturnType<typeof findRegistry>>;

beforeAll(async () => {
  registry = await findRegistry();
  try {
    image = await buildImage(["amd64", "arm64"], facts, source);
  } catch (reason) {
    if (!(reason instanceof ImageError)) throw reason;
    missing = reason.message;
    return;
  }
  writeImage(out, image, name, source);
}, buildLimitMs);

afterAll(() => folder[Symbol.dispose]());

beforeEach((context) => {
  if (missing !== undefined) context.skip(missing);
});

const unpacked = new Map<PlatformImage, readonly TarEntry[]>();

/** Unpacked once for all tests: Node alone is 116 MB. */
function entriesOf(platform: PlatformImage): readonly TarEntry[] {
  const entries = unpacked.get(platform) ?? platform.layers.flatMap(({ bytes }) => readTar(gunzipSync(bytes)));
  unpacked.set(platform, entries);
  return entries;
}

describe("what is in it", () => {
  test("[IN3] every program and library is for its architecture and finds all that it is linked with in the image", () => {
    for (const platform of image.platforms) {
      const entries = entriesOf(platform);
      const paths = new Set(entries.map(({ path }) => path));
      const programs = entries.flatMap((entry) => {
        const facts = entry.type === "file" ? readElf(entry.bytes) : undefined;
        return facts === undefined ? [] : [{ path: entry.path, ...facts }];
      });
      expect(programs.map(({ path }) => path)).toContain("usr/bin/node");
      const triplet = platform.architecture === "amd64" ? "x86_64-linux-gnu" : "aarch64-linux-gnu";
      for (const { architecture, interpreter, needed } of programs) {
        expect(architecture).toBe(platform.architecture);
        if (interpreter !== undefined) expect(paths).toContain(`usr${interpreter}`);
        for (const library of needed) expect(paths).toContain(`usr/lib/${triplet}/${library}`);
      }
    }
  });

  test("[IN4] it holds what a hub, an agent and the command line run, and no source, map, test, shell or set-user-id file", () => {
    for (const platform of image.platforms) {
      const entries = entriesOf(platform);
      const paths = entries.map(({ path }) => path);
      for (const kept of [
        "bin/flotilla.js",
        "agent/flotilla.js",
        "program/flotilla.js",
        "ui/dist/index.html",
        "LICENSE",
      ])
        expect(paths).toContain(`opt/flotilla/${kept}`);
      expect(paths.filter((path) => /^opt\/flotilla\/sql\/hub\/.*\.sql$/.test(path)).length).toBeGreaterThan(0);
      expect(paths.filter((path) => /\.(ts|map)$|\.test\.|node_modules|\/(ba|da)?sh$/.test(path))).toEqual([]);
      expect(entries.filter(({ mode }) => (mode & 0o6000) !== 0)).toEqual([]);
      expect(entries.filter(({ type, mode }) => type === "file" && (mode & 0o022) !== 0)).toEqual([]);
    }
  });

  test("[IN4] its configuration runs `flotilla` as user 65532 and says what it is", () => {
    for (const { config, architecture } of image.platforms)
      expect(JSON.parse(config.bytes.toString())).toMatchObject({
        architecture,
        os: "linux",
        created: "2023-11-14T22:13:20.000Z",
        config: {
          User: "65532:65532",
          Entrypoint: ["/usr/bin/flotilla"],
          StopSignal: "SIGTERM",
          Labels: {
            "org.opencontainers.image.version": facts.version,
            "org.opencontainers.image.licenses": "Apache-2.0",
            "org.opencontainers.image.revision": "0123",
          },
        },
      });
  });

  test("[IN2] built again from another folder, it has the same digest", async () => {
    const [first] = image.platforms;
    const here = process.cwd();
    process.chdir(folder.path);
    const again = await buildImage(["amd64"], facts, source).finally(() => process.chdir(here));
    expect(again.platforms[0]?.manifest.descriptor.digest).toBe(first?.manifest.descriptor.digest);
  });
});

describe("[IN1] [IN5] as others see it", () => {
  beforeEach((context) => {
    if ("missing" in registry) context.skip(registry.missing);
  });
  const program = (): string => ("program" in registry ? registry.program : "");

  test("the layout is valid with every blob, and so is an archive as docker loads it", async () => {
    expect(await judge(program(), ["layout", join(out, "oci")])).toBe("valid");
    expect(await judge(program(), ["archive", join(out, "flotilla-amd64.tar"), name])).toBe("valid");
  });

  test("pushed, it is valid for both architectures; pushed again, no blob is sent", async () => {
    await using running = await openRegistry(program());
    const target = `${running.address}/team/flotilla:1.0`;
    const options = { env: { DOCKER_CONFIG: folder.path }, say: () => undefined };
    expect(await pushImage(image, parsePushTarget(target), options)).toBe(`${target}@${image.index.descriptor.digest}`);
    const isUpload = (line: string): boolean => line.startsWith("PUT /v2/team/flotilla/blobs/uploads");
    // Three layers and a configuration for each architecture, of which Flotilla's own layer is the same.
    await expect.poll(() => running.requests().filter(isUpload)).toHaveLength(7);
    expect(await judge(program(), ["pull", target])).toBe("valid");
    await pushImage(image, parsePushTarget(target), options);
    expect(running.requests().filter(isUpload)).toHaveLength(7);
    const isTagged = (line: string): boolean => line === "PUT /v2/team/flotilla/manifests/1.0";
    await expect.poll(() => running.requests().filter(isTagged)).toHaveLength(2);
  });

  test("a registry that asks who pushes gets the credential of docker login; without one, the refusal says what to do", async () => {
    await using running = await openRegistry(program(), ["ann", "pa:ss"]);
    const target = `${running.address}/flotilla:1.0`;
    const say = (): void => undefined;
    await expect(
      pushImage(image, parsePushTarget(target), { env: { DOCKER_CONFIG: join(folder.path, "none") }, say }),
    ).rejects.toThrow(
      `; run docker login ${running.address}, or set FLOTILLA_REGISTRY_USERNAME and FLOTILLA_REGISTRY_PASSWORD`,
    );
    const auth = Buffer.from("ann:pa:ss").toString("base64");
    writeFileSync(join(folder.path, "config.json"), JSON.stringify({ auths: { [running.address]: { auth } } }));
    const ofOne = createImage(image.platforms.slice(0, 1), facts);
    expect(await pushImage(ofOne, parsePushTarget(target), { env: { DOCKER_CONFIG: folder.path }, say })).toContain(
      `${target}@sha256:`,
    );
  });
});

describe("[IN3] [IN4] run from its own files, as user 65532, with a root that cannot be written", () => {
  let root: ImageRoot;

  beforeAll(() => {
    const [amd64] = image?.platforms ?? [];
    if (amd64 !== undefined && whyNoNamespaces() === undefined) root = new ImageRoot(amd64, folder.path);
  });

  beforeEach((context) => {
    const reason =
      process.arch === "x64" ? whyNoNamespaces() : "the image for this processor is not the one that is unpacked";
    if (reason !== undefined) context.skip(reason);
  });

  test("`version` and a wrong verb answer as they do elsewhere", async () => {
    expect(await root.run(["version"])).toMatchObject({ code: 0, stdout: expect.stringContaining(facts.version) });
    expect(await root.run(["no-such-verb"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no-such-verb"),
    });
  });

  test("names are resolved, time zones and public certificate authorities are known, and nothing outside of the data folder can be written", async () => {
    root.writeData(
      "facts.mjs",
      `import { lookup } from "node:dns/promises"; import { writeFileSync } from "node:fs"; import { rootCertificates } from "node:tls";
       const refused = ["/x", "/opt/flotilla/x", "/tmp/x"].map((path) => { try { writeFileSync(path, ""); return "written"; } catch (error) { return error.code; } });
       const zone = new Date(0).toLocaleString("en-GB", { timeZone: "Asia/Tokyo" });
       let unknown; try { await lookup("no-such-name.invalid"); } catch (error) { unknown = error.code; }
       console.log(JSON.stringify({ uid: process.getuid(), refused, zone, authorities: rootCertificates.length > 100, numeric: (await lookup("127.0.0.1")).address, unknown }));`,
    );
    const { stdout, stderr } = await root.run(["/var/lib/flotilla/facts.mjs"], ["/usr/bin/node"]);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      uid: 65_532,
      refused: ["EROFS", "EROFS", "EROFS"],
      zone: "01/01/1970, 09:00:00",
      authorities: true,
      numeric: "127.0.0.1",
      unknown: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
    });
  });

  test("a hub, a playground cluster and its agent come up, and the cluster is live", async () => {
    const up = root.start(["up", "--port", "0", "--http-port", "0", "--clusters", "1"]);
    const ended = new Promise<number | null>((done) => up.once("close", done));
    for (const stream of [up.stdout, up.stderr]) stream?.resume();
    try {
      await expect
        .poll(async () => (await root.run(["cluster", "list"])).stdout, { timeout: 50_000 })
        .toMatch(/eu-west-1 +live/);
    } finally {
      up.kill("SIGTERM");
    }
    expect(await ended).toBe(0);
  });
});

test("[IN2] the packages of Debian that it was made from are kept with it, so that it can be built after mirrors dropped them", () => {
  using cache = openTempFolder();
  const loaded = loadBasePackages("arm64", {
    env: { ...process.env, XDG_CACHE_HOME: cache.path },
    folder: join(out, "base"),
    say: (line) => {
      throw new Error(`something is fetched: ${line}`);
    },
  });
  expect(loaded.size).toBeGreaterThan(3);
  for (const file of loaded.values()) expect(readFileSync(file).toString("latin1", 0, 7)).toBe("!<arch>");
});

test("[CL20] a build that is stopped ends with 130 and leaves no file behind", async () => {
  using scratch = openTempFolder();
  const target = join(scratch.path, "image");
  const temporary = join(scratch.path, "tmp");
  mkdirSync(temporary);
  const program = spawn(process.execPath, [join(projectRoot, "scripts/image.ts"), "--arch", "amd64", "--out", target], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ["ignore", "pipe", "pipe"],
  });
  program.stdout.resume();
  program.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (text.includes("packing for amd64")) program.kill("SIGINT");
  });
  const [code] = await once(program, "close");
  expect([code, existsSync(target), readdirSync(temporary)]).toEqual([130, false, []]);
});
