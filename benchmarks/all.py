"""Every benchmark, one after the other, then docs/benchmarks.md; names as arguments run only these."""

import subprocess
import sys
import time

import harness
import page


def main():
    folder = harness.ROOT / "benchmarks"
    scripts = [folder / f"bench_{name}.py" for name in sys.argv[1:]] or sorted(
        folder.glob("bench_*.py")
    )
    failed = []
    for script in scripts:
        start = time.perf_counter()
        print(f"\n=== {script.name}", flush=True)
        if subprocess.run([sys.executable, script], check=False).returncode:
            failed.append(script.name)
        print(f"=== {time.perf_counter() - start:.0f} s", flush=True)
    page.main()
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
