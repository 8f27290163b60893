"""Options and commands as --help tells them, for tests that hold texts against it."""
import re
import shlex
import subprocess

TEXT_COLUMN = 34  # of --help at 80 columns

def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def section(text, title):
    """The lines below "TITLE:" up to the next empty line."""
    found = re.search(rf'^{title}:\n(.*?)(?:\n\n|\Z)', text, re.M | re.S)
    return found.group(1).splitlines() if found else []


def options(help_text):
    """{"-o,--output": "FILE"}: names as they stand, and the value's placeholder."""
    found = {}
    for line in section(help_text, 'Options'):
        if line.startswith('  -'):
            # A name that fills its column has one blank behind it; a longer one stands alone.
            head = line[:TEXT_COLUMN] if line[TEXT_COLUMN - 1:TEXT_COLUMN] in ('', ' ') else line
            names, _, placeholder = head.strip().partition(' ')
            found[names] = placeholder
    return found


def commands(help_text):
    return [line.split()[0] for line in section(help_text, 'Commands')]


class Commands:
    """What `rafter` knows, asked once."""

    def __init__(self, rafter):
        self.own = output(rafter, '--help')
        self.names = commands(self.own)
        self.help = {name: output(rafter, name, '--help') for name in self.names}

    def known(self, name):
        """All names of its options: {"-o", "--output", ...}."""
        text = self.help[name] if name else self.own
        return {one for names in options(text) for one in names.split(',')}

    def mistakes(self, line):
        """What is wrong with the options of each `rafter VERB ...` in a shell line."""
        found = []
        for words in calls(line):
            if not words or words[0] in ('help', 'COMMAND'):
                continue
            if words[0].startswith('-'):
                found += [f'rafter {word}: no such option' for word in words[:1]
                          if word not in self.known('')]
                continue
            if words[0] not in self.names:
                found.append(f'rafter {words[0]}: no such command')
                continue
            for word in words[1:]:
                name = word.split('=')[0]
                if re.match(r'--?[a-zA-Z]', name) and name not in self.known(words[0]):
                    found.append(f'rafter {words[0]} {name}: no such option')
        return found


def calls(line):
    """The words behind each `rafter` in a shell line, up to what ends the command."""
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars='|&;<>()')
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:  # a quote that the next line closes
        words = line.replace("'", ' ').replace('"', ' ').split()
    found, inside = [], None
    for word in words:
        if set(word) <= set('|&;<>()') or word == '--':
            inside = None
        elif inside is None and re.search(r'(^|[/(])rafter$', word):
            inside = []
            found.append(inside)
        elif inside is not None:
            inside.append(word)
        elif '$(rafter ' in word:  # "$(rafter env)"
            found += calls(word[word.index('$(') + 2:].rstrip(')'))
    return found
