# SPDX-License-Identifier: MIT
"""Builds the package over a libilex that is there: of ILEX_LIBRARY (a path),
of this clone (`./quickstart`), or of pkg-config. The library is copied into the
package, so that a wheel needs nothing of where it was built."""

import glob
import os
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
# Of what is copied, and of libtcc, which is part of it on Debian.
LICENCES = {"LICENSE": os.path.join(TOP, "LICENSE"),
            "LICENSE.libtcc": "/usr/share/doc/libtcc-dev/copyright"}
SOURCES = [f"src/ilex/_{name}.c"
           for name in ("core", "functions", "node", "programs", "calls",
                        "foreign", "exchange", "storage")]


def pkg_config(*words):
    return subprocess.run(["pkg-config", *words, "ilex"], check=True,
                          capture_output=True, text=True).stdout.strip()


def find():
    """The library, the directory of its headers, and its description."""
    clone = os.path.join(TOP, "build")
    own = os.path.join(TOP, "include")
    given = os.environ.get("ILEX_LIBRARY")
    if not given and os.path.exists(os.path.join(clone, ".libs/libilex.so")):
        given = os.path.join(clone, ".libs/libilex.so")
    if given and os.path.isdir(own):
        return given, own, None
    try:
        folder = pkg_config("--variable=libdir")
        return (given or os.path.join(folder, "libilex.so"),
                pkg_config("--variable=includedir"),
                pkg_config("--variable=apifile"))
    except (OSError, subprocess.CalledProcessError):
        sys.exit("setup.py: there is no libilex: run ./quickstart in the clone, "
                 "install it (pkg-config ilex), or set ILEX_LIBRARY to its "
                 "path")


class Build(build_ext):
    def run(self):
        library, include, api = find()
        package = os.path.join(HERE, "src", "ilex")
        if not api:
            os.makedirs(self.build_temp, exist_ok=True)
            api = os.path.join(self.build_temp, "ilex-api.json")
            with open(api, "w", encoding="utf-8") as out:
                subprocess.run([sys.executable,
                                os.path.join(TOP, "bindings", "api.py"),
                                "json"], check=True, stdout=out)
        subprocess.run([sys.executable, os.path.join(HERE, "generate.py"), api,
                        self.build_temp], check=True)
        target = self.build_lib if not self.inplace else os.path.join(HERE,
                                                                      "src")
        os.makedirs(os.path.join(target, "ilex"), exist_ok=True)
        shutil.copy(os.path.join(self.build_temp, "_generated.py"),
                    os.path.join(target, "ilex"))
        real = os.path.realpath(library)
        shutil.copy(real, os.path.join(target, "ilex", "libilex.so.0"))
        for name, path in LICENCES.items():
            if os.path.exists(path):
                shutil.copy(path, os.path.join(target, "ilex", name))
        self.force = True  # what is generated may be new
        ext = self.extensions[0]
        ext.include_dirs = [include, self.build_temp, package]
        ext.extra_link_args = [real, "-Wl,-rpath,$ORIGIN"]
        super().run()
        for module in glob.glob(os.path.join(package, "*.py")):
            if not self.inplace:
                shutil.copy(module, os.path.join(target, "ilex"))
        subprocess.run([sys.executable, os.path.join(HERE, "stubs.py"), api,
                        target], check=True)


setup(cmdclass={"build_ext": Build},
      ext_modules=[Extension("ilex._core", SOURCES,
                             depends=["generate.py", "src/ilex/_core.h"],
                             extra_compile_args=["-std=gnu11", "-Wall",
                                                 "-Wno-cast-function-type",
                                                 "-fvisibility=hidden"])])
